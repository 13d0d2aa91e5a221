// Keys of the Test page: Ctrl+Enter runs, Escape stops.
document.addEventListener("keydown", (event) => {
  const page = document.querySelector(".jn-test");
  if (!page || document.querySelector(".q-dialog")) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    document.activeElement?.dispatchEvent(new Event("change"));
    setTimeout(() => page.querySelector(".jn-run-button")?.click(), 30);
  } else if (event.key === "Escape" && !["INPUT", "SELECT"].includes(event.target.tagName)) {
    page.querySelector(".jn-stop-button")?.click();
  }
});
