// Draws every figure of the page where it belongs.
(function () {
  "use strict";
  // Without eval and without styles of its own: the page allows neither.
  const options = {
    ast: true, renderer: "svg", actions: false, defaultStyle: false, mode: "vega", tooltip: { disableDefaultStyle: true },
  };
  const draw = {
    tree: window.kspanTree,
    clusters: window.kspanClusters,
    chart: function (element, spec) { return window.vegaEmbed(element, spec, options); },
  };
  const drawn = Array.from(document.querySelectorAll("[data-figure]")).map(function (element) {
    const name = element.dataset.figure;
    const spec = JSON.parse(document.getElementById(name + "-spec").textContent);
    const label = element.parentElement.getAttribute("aria-label");
    return draw[element.dataset.kind](element, spec, { rows: '[data-spans="' + name + '"]', label: label });
  });
  Promise.all(drawn).then(function () { document.documentElement.dataset.drawn = "yes"; });
}());
