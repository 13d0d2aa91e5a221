// Keys of the Review page that work wherever the focus is: space plays, arrows move, [ and ] turn the pages.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
  if (!document.querySelector(".jn-review")) return;
  const on = event.target;
  if (["INPUT", "SELECT", "TEXTAREA"].includes(on.tagName) || on.isContentEditable || on.closest?.(".q-dialog, .q-menu, .jn-scene")) return;
  const scene = window.jounceScene;
  const board = Object.values(window.jouncePlots ?? {})[0];
  if (event.key === " " && scene?.track && on.tagName !== "BUTTON") {
    event.preventDefault();
    if (scene.playing) scene.pause();
    else scene.play();
  } else if ((event.key === "ArrowLeft" || event.key === "ArrowRight" || event.key === "Home" || event.key === "+" || event.key === "-") && board && !on.closest?.(".jn-plots, .jn-runs-list")) {
    board.key(event);
  } else if (event.key === "[" || event.key === "]") {
    const tabs = [...document.querySelectorAll(".jn-page-tab")];
    const at = tabs.findIndex((tab) => tab.classList.contains("jn-here"));
    tabs[(at + (event.key === "]" ? 1 : tabs.length - 1)) % tabs.length]?.click();
  }
});
