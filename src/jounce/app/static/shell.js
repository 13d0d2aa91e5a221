// Keys that work on every page: Alt and a digit go to a page.
document.addEventListener("keydown", (event) => {
  if (!event.altKey || event.ctrlKey || event.metaKey || !/^[0-9]$/.test(event.key)) return;
  const link = document.querySelector(`.jn-nav a[data-key="${event.key}"]`);
  if (link) {
    event.preventDefault();
    link.click();
  }
});
