// What the pictures of trees and of clusters have in common: spans in words, captions, and rows that light what they name.
(function () {
  "use strict";

  // "3 7-9" -> [[3, 3], [7, 9]]
  function parseBins(text) {
    return (text || "").split(/[\s,]+/).filter(Boolean).map(function (part) {
      const ends = part.split("-").map(Number);
      return [ends[0], ends[ends.length - 1]];
    }).filter(function (run) { return run[0] > 0 && run[1] >= run[0]; });
  }

  function touches(runs, first, last) {
    return runs.some(function (run) { return run[0] <= last && first <= run[1]; });
  }

  function join(words) {
    return words.length < 2 ? words.join("") : words.slice(0, -1).join(", ") + " and " + words[words.length - 1];
  }

  // [[3, 3], [7, 9]] -> "leaves 3, 7, 8 and 9"
  function binsText(runs, one, many) {
    const most = 8, numbers = [];
    let count = 0;
    runs.forEach(function (run) {
      count += run[1] - run[0] + 1;
      for (let bin = run[0]; bin <= run[1] && numbers.length < most; bin += 1) {
        numbers.push(bin.toLocaleString("en"));
      }
    });
    if (count > numbers.length) {
      numbers.push((count - numbers.length).toLocaleString("en") + " more");
    }
    return (count === 1 ? one : many) + " " + join(numbers);
  }

  // The spans that reach a bin, the smallest first, as they are sorted.
  function spansOf(spans, bin) {
    return spans.filter(function (span) { return touches(span.bins, bin, bin); });
  }

  // The span that reaches just these bins, or what is known of it.
  function sameAs(spans, runs) {
    const wanted = JSON.stringify(runs);
    const found = spans.find(function (span) { return JSON.stringify(span.bins) === wanted; });
    return [found || { bins: runs, people: "" }];
  }

  function spanText(found, one, many) {
    if (!found.length) {
      return "";
    }
    const alone = found[0].bins.length === 1 && found[0].bins[0][0] === found[0].bins[0][1];
    const where = binsText(found[0].bins, one, many) + (alone ? " alone" : "");
    const safe = found[0].safe ? ", which tells nothing that was not known" : "";
    const which = found.length > 1
      ? "This " + one + " is in " + found.length.toLocaleString("en") + " spans, the smallest: " : "This span: ";
    return which + where + (found[0].people ? ", " + found[0].people : "") + safe + ".";
  }

  function make(name, kind, text) {
    const made = document.createElement(name);
    if (kind) {
      made.className = kind;
    }
    if (text) {
      made.textContent = text;
    }
    return made;
  }

  // A few lines that are read aloud when they change, with room kept so that nothing jumps.
  function makeCaption(atRest) {
    const caption = make("div", "picture-caption");
    caption.setAttribute("aria-live", "polite");
    caption.style.minHeight = "4.6em";
    function say(lines) {
      const shown = lines && lines.length ? lines : [atRest];
      caption.replaceChildren.apply(caption, shown.filter(Boolean).map(function (line, place) {
        return make("div", place === 0 && lines ? "picture-caption-head" : "", line);
      }));
      if (lines && caption.firstChild) {
        caption.firstChild.style.fontWeight = "600";
      }
    }
    say(null);
    return { element: caption, say: say };
  }

  function makeButton(text, label, act) {
    const button = make("button", "picture-button", text);
    button.type = "button";
    if (label !== text) {
      button.setAttribute("aria-label", label);
      button.title = label;
    }
    button.addEventListener("click", act);
    return button;
  }

  // Rows with data-leaves light what they name while they are pointed at or focused.
  function wireRows(where, light) {
    const places = !where ? [] : typeof where === "string" ? Array.from(document.querySelectorAll(where))
      : where instanceof Element ? [where] : Array.from(where);
    places.forEach(function (place) {
      const rows = place.matches("[data-leaves]") ? [place] : Array.from(place.querySelectorAll("[data-leaves]"));
      rows.forEach(function (row) {
        const runs = parseBins(row.dataset.leaves);
        if (!runs.length) {
          return;
        }
        if (!row.hasAttribute("tabindex")) {
          row.tabIndex = 0;
        }
        function on() { light(runs); }
        function off() { light(null); }
        row.addEventListener("mouseenter", on);
        row.addEventListener("focus", on);
        row.addEventListener("click", on);
        row.addEventListener("mouseleave", off);
        row.addEventListener("blur", off);
      });
    });
  }

  function embed(place, spec) {
    return window.vegaEmbed(place, spec, {
      ast: true, renderer: "svg", actions: false, defaultStyle: false, mode: "vega",
      tooltip: { disableDefaultStyle: true },
    }).then(function (result) { return result.view; });
  }

  window.kspanSpans = {
    parseBins: parseBins, touches: touches, binsText: binsText, spansOf: spansOf, sameAs: sameAs, spanText: spanText, make: make,
    makeCaption: makeCaption, makeButton: makeButton, wireRows: wireRows, embed: embed, join: join,
  };
}());
