// The picture of clusters: pointing at a cluster, or at a row with data-leaves, lights the spans.
// kspanClusters(element, spec, {rows, label}) needs vegaEmbed and kspanSpans. Text is only ever set as text.
(function () {
  "use strict";

  window.kspanClusters = function (element, spec, options) {
    const tools = window.kspanSpans, wanted = options || {}, spans = spec.usermeta.spans, said = {};
    spec.usermeta.clusters.forEach(function (cluster) { said[cluster.number] = cluster.text; });
    const caption = tools.makeCaption(spec.usermeta.note), place = tools.make("div", "picture-drawing");
    let view, pinned = null, focused = null;
    element.replaceChildren(caption.element, place);
    place.setAttribute("role", "group");
    place.setAttribute("aria-label", wanted.label || spec.description);

    function light(runs) {
      let lit = null;
      if (runs) {
        lit = {};
        spec.usermeta.clusters.forEach(function (cluster) {
          if (tools.touches(runs, cluster.number, cluster.number)) {
            lit[cluster.number] = 1;
          }
        });
      }
      view.signal("lit", lit).runAsync();
    }

    function point(number) {
      const shown = number || pinned;
      if (!shown) {
        caption.say(null);
        light(null);
        return;
      }
      const found = tools.spansOf(spans, shown), runs = [[shown, shown]];
      found.forEach(function (span) { Array.prototype.push.apply(runs, span.bins); });
      caption.say([said[shown], tools.spanText(found, "cluster", "clusters")]);
      light(runs);
    }

    function numberOf(item) {
      return item && item.datum && item.datum.number ? item.datum.number : null;
    }

    function centers() {
      return Array.from(place.querySelectorAll(".centers > *")).filter(function (dot) { return numberOf(dot.__data__); });
    }

    // One stop of the tab key, arrows inside; a cluster that is on several axes is one stop.
    function name() {
      const seen = new Set();
      centers().forEach(function (dot) {
        const number = numberOf(dot.__data__), first = !seen.has(number);
        seen.add(number);
        dot.setAttribute("role", "img");
        dot.removeAttribute("aria-roledescription");
        dot.setAttribute("aria-label", said[number]);
        if (first) {
          focused = focused || number;
          dot.dataset.number = number;
          dot.setAttribute("tabindex", number === focused ? 0 : -1);
        } else {
          dot.setAttribute("aria-hidden", "true");
        }
      });
    }

    function onKey(event) {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const stops = centers().filter(function (dot) { return dot.dataset.number; });
      const at = stops.indexOf(event.target);
      if (step && at >= 0) {
        event.preventDefault();
        const next = stops[(at + step + stops.length) % stops.length];
        focused = numberOf(next.__data__);
        name();
        next.focus();
      }
    }

    function fill() {
      const wide = Math.floor(place.clientWidth);
      return wide > 0 && wide !== view.width() ? view.width(wide).height(Math.min(420, Math.max(280, wide * 0.6))).runAsync()
        : Promise.resolve();
    }

    return tools.embed(place, spec).then(function (made) {
      view = made;
      view.addEventListener("mouseover", function (event, item) { point(numberOf(item)); });
      view.addEventListener("mouseout", function () { point(null); });
      view.addEventListener("click", function (event, item) {
        const number = numberOf(item);
        pinned = number !== pinned ? number : null;
        point(pinned);
      });
      place.addEventListener("focusin", function (event) { point(numberOf(event.target.__data__)); });
      place.addEventListener("focusout", function () { point(null); });
      place.addEventListener("keydown", onKey);
      tools.wireRows(wanted.rows, function (runs) {
        caption.say(runs ? [tools.spanText(tools.sameAs(spans, runs), "cluster", "clusters")] : null);
        light(runs);
      });
      window.addEventListener("resize", function () { fill().then(name); });
      return fill();
    }).then(function () {
      name();
      element.dataset.ready = "yes";
      return { view: view, light: light };
    });
  };
}());
