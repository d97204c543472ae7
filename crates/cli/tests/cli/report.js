// What is on a report: plots, how many of them have a size, whether anything is wider than the window, what is loaded from elsewhere,
// and links within the page that lead nowhere.
addEventListener("load", () => setTimeout(() => {
  const plots = [...document.querySelectorAll("figure svg")];
  const links = [...document.querySelectorAll("a[href^='#']")];
  console.log("REPORT " + JSON.stringify({
    plots: plots.length,
    drawn: plots.filter((plot) => plot.getBoundingClientRect().height > 100 && plot.querySelector("path")).length,
    wide: document.documentElement.scrollWidth > innerWidth,
    foreign: performance.getEntriesByType("resource").length,
    dead: links.filter((link) => !document.getElementById(link.hash.slice(1))).length,
    loaded: Math.round(performance.getEntriesByType("navigation")[0].loadEventStart),
  }));
}, 0));
