// Keys that work on every page: Alt and a digit go to a page.
document.addEventListener("keydown", (event) => {
  if (!event.altKey || event.ctrlKey || event.metaKey || !/^[0-9]$/.test(event.key)) return;
  const link = document.querySelector(`.jn-nav a[data-key="${event.key}"]`);
  if (link) {
    event.preventDefault();
    link.click();
  }
});
// Plots have a background of their own; text and lines on it are those of the light or the dark colours, after its
// lightness (relative luminance of WCAG 2).
window.jouncePlotBackground = (colour) => {
  const body = document.body;
  body.classList.remove("jn-plots-light", "jn-plots-dark");
  if (!/^#[0-9a-f]{6}$/i.test(colour)) {
    body.style.removeProperty("--jn-plot");
    body.classList.add("jn-plots-page");
    return;
  }
  const linear = [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16) / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  const light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  body.style.setProperty("--jn-plot", colour);
  body.classList.remove("jn-plots-page");
  body.classList.add(light > 0.18 ? "jn-plots-light" : "jn-plots-dark");
};
