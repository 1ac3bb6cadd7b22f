// The picture of a tree: branches open and close, leaves light up with their spans, the drawing zooms and moves.
// kspanTree(element, spec, {rows, label}) needs vegaEmbed and kspanSpans; rows are elements (or a selector) around rows
// with data-leaves. Text is only ever set as text.
(function () {
  "use strict";
  const MOST_OPEN = 400, SMALLEST = 0.25, SMALLEST_AT_FIRST = 0.85, LARGEST = 3;

  window.kspanTree = function (element, spec, options) {
    const tools = window.kspanSpans, wanted = options || {};
    const nodes = spec.usermeta.nodes, spans = spec.usermeta.spans, labels = valueOf(spec, "labels");
    const sons = nodes.map(function () { return []; }), depths = [];
    nodes.forEach(function (node) {
      depths.push(node.parent === undefined ? 0 : depths[node.parent] + 1);
      if (node.parent !== undefined) {
        sons[node.parent].push(node.number);
      }
    });
    const opened = new Set();
    let view, scale = 1, shown = [], pinned = null, focused = 0, natural = [1, 1], dragged = false;

    function closeToFirst() {
      opened.clear();
      nodes.forEach(function (node) {
        if (depths[node.number] < spec.usermeta.depth && sons[node.number].length) {
          opened.add(node.number);
        }
      });
    }

    // Level by level, while the ends of branches are not too many to draw.
    function openAll() {
      opened.clear();
      let ends = 1, level = [0];
      while (level.length) {
        const next = [];
        level.forEach(function (number) {
          const more = sons[number].length;
          if (more && ends - 1 + more <= MOST_OPEN) {
            ends += more - 1;
            opened.add(number);
            Array.prototype.push.apply(next, sons[number]);
          }
        });
        level = next;
      }
    }

    function visible() {
      const rows = [], waiting = [0];
      while (waiting.length) {
        const number = waiting.pop(), row = Object.assign({}, nodes[number]);
        if (opened.has(number)) {
          Array.prototype.push.apply(waiting, sons[number].slice().reverse());
        } else if (row.asks) {
          row.closed = row.last - row.first + 1;
        }
        rows.push(row);
      }
      return rows;
    }

    // What is said

    const number = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
    const share = new Intl.NumberFormat("en", { style: "percent" });

    function peopleText(node) {
      return node.people === undefined ? "" : number.format(node.people) + (node.people === 1 ? " person" : " people");
    }

    function pathText(node) {
      const ways = [];
      for (let at = node; at.parent !== undefined; at = nodes[at.parent]) {
        ways.push(at.way);
      }
      return ways.reverse().join(" and ") || node.way;
    }

    function outcomeText(node) {
      if (node.held) {
        return "held back, since a span that reaches it breaks the requirement";
      }
      if (node.label === undefined) {
        return "nobody came here";
      }
      const told = [node.shares ? share.format(node.shares[0][1]) : "", peopleText(node)].filter(Boolean).join(" of ");
      const head = node.said === undefined ? labels[node.label].name : node.said;
      return [head, told, node.further].filter(Boolean).join(", ");
    }

    function headText(node) {
      if (!node.asks) {
        return "Leaf " + number.format(node.first) + ": " + outcomeText(node) + ".";
      }
      const leaves = node.last - node.first + 1;
      const told = [peopleText(node), number.format(leaves) + (leaves === 1 ? " leaf" : " leaves") + " below"];
      const act = node.folded ? "; too many to draw" : opened.has(node.number) ? "" : "; open it to see them";
      return "Asks " + node.asks + ": " + told.filter(Boolean).join(", ") + act + ".";
    }

    function sayOf(node) {
      const lines = [headText(node), pathText(node)];
      if (!node.asks && !node.held) {
        const found = tools.spansOf(spans, node.first);
        lines.push(tools.spanText(found, "leaf", "leaves") || (spans.length ? "Its spans are larger than those listed." : ""));
      }
      caption.say(lines);
    }

    // What is lit: everything visible that leads to one of the leaves.

    function light(runs) {
      let lit = null;
      if (runs) {
        lit = {};
        shown.forEach(function (row) {
          if (tools.touches(runs, row.first, row.last)) {
            lit[row.number] = 1;
          }
        });
      }
      view.signal("lit", lit).runAsync();
    }

    function lightOf(node) {
      if (node.asks) {
        light([[node.first, node.last]]);
        return;
      }
      const runs = [[node.first, node.first]];
      tools.spansOf(spans, node.first).forEach(function (span) { Array.prototype.push.apply(runs, span.bins); });
      light(runs);
    }

    function point(node) {
      if (node) {
        sayOf(node);
        lightOf(node);
      } else if (pinned) {
        point(pinned);
      } else {
        caption.say(null);
        light(null);
      }
    }

    // What a row names may be outside of the frame: then the frame moves there.
    function reveal(runs) {
      const lit = shown.filter(function (row) {
        return (row.closed || !row.asks) && tools.touches(runs, row.first, row.last);
      }).map(function (row) { return elementOf(row.number).getBoundingClientRect(); });
      const box = frame.getBoundingClientRect();
      const seen = lit.some(function (one) {
        return one.top >= box.top && one.bottom <= box.bottom && one.left >= box.left && one.right <= box.right;
      });
      if (lit.length && !seen) {
        frame.scrollTop += lit[0].top - box.top - frame.clientHeight / 2;
        frame.scrollLeft += lit[0].left - box.left - frame.clientWidth / 2;
      }
    }

    // The frame

    const opens = sons.some(function (some, at) { return some.length && depths[at] >= spec.usermeta.depth; });
    const atRest = (spans.length && nodes.length > 1 ? "Point at a leaf, or tap it, to see which leaves look the same to "
      + "someone who knows the public values only. " : "") + (opens ? "A dot with + opens. " : "")
      + (spec.usermeta.heldBack ? number.format(spec.usermeta.heldBack) + (spec.usermeta.heldBack === 1
        ? " leaf is held back: a span that reaches it breaks the requirement."
        : " leaves are held back: spans that reach them break the requirement.") : "");
    const bar = tools.make("div", "picture-tools"), caption = tools.makeCaption(atRest);
    const frame = tools.make("div", "picture-scroll"), place = tools.make("div", "picture-drawing");
    Object.assign(bar.style, { display: "flex", flexWrap: "wrap", gap: ".4em", alignItems: "center" });
    Object.assign(frame.style, { overflow: "auto", maxHeight: "80vh", cursor: "grab" });
    if (opens) {
      bar.append(
        tools.makeButton("open all", "open all", function () { openAll(); draw(); }),
        tools.makeButton("close", "close to depth " + spec.usermeta.depth, function () { closeToFirst(); draw(); })
      );
    }
    bar.append(
      tools.makeButton("+", "larger", function () { zoom(scale * 1.25); }),
      tools.makeButton("−", "smaller", function () { zoom(scale / 1.25); }),
      tools.makeButton("fit", "fit into the page", fit)
    );
    bar.append(legend());
    frame.append(place);
    element.replaceChildren(bar, caption.element, frame);

    function legend() {
      const list = tools.make("span", "picture-legend");
      const told = labels.filter(function (label, at) {
        return nodes.some(function (node) { return !node.asks && node.label === at; });
      });
      Object.assign(list.style, { display: "inline-flex", flexWrap: "wrap", gap: ".2em 1em", marginLeft: ".6em" });
      told.slice(0, 7).forEach(function (label) {
        const entry = tools.make("span", "picture-key"), dot = tools.make("span", "picture-swatch");
        Object.assign(dot.style, {
          display: "inline-block", width: ".75em", height: ".75em", borderRadius: "50%", marginRight: ".35em",
          backgroundColor: label.color,
        });
        dot.style.setProperty("print-color-adjust", "exact");
        entry.append(dot, document.createTextNode(label.name));
        list.append(entry);
      });
      return list;
    }

    function svg() {
      return place.querySelector("svg");
    }

    function zoom(next, at) {
      const before = scale, box = frame.getBoundingClientRect();
      const x = at ? at.clientX - box.left : frame.clientWidth / 2, y = at ? at.clientY - box.top : frame.clientHeight / 2;
      const left = (frame.scrollLeft + x) / before, top = (frame.scrollTop + y) / before;
      scale = Math.min(LARGEST, Math.max(SMALLEST, next));
      size();
      frame.scrollLeft = left * scale - x;
      frame.scrollTop = top * scale - y;
    }

    // What goes on to the right fades out, so that nobody takes the edge for the end.
    function fade() {
      const more = frame.scrollWidth - frame.clientWidth - frame.scrollLeft > 4;
      frame.style.maskImage = more ? "linear-gradient(to right, black calc(100% - 2.5em), transparent)" : "none";
    }

    function fit() {
      zoom(Math.min(1, frame.clientWidth / natural[0]));
    }

    function size() {
      const drawn = svg();
      drawn.style.display = "block";
      drawn.style.maxWidth = "none";
      drawn.style.width = natural[0] * scale + "px";
      drawn.style.height = natural[1] * scale + "px";
      fade();
    }

    // Drawing

    function elementOf(wantedNumber) {
      return dots().find(function (dot) { return dot.__data__.datum.number === wantedNumber; });
    }

    function dots() {
      return Array.from(place.querySelectorAll(".dots > *")).filter(function (dot) {
        return dot.__data__ && dot.__data__.datum;
      });
    }

    // The node that was opened stays where it is on the screen.
    function draw(around) {
      const before = around === undefined ? null : elementOf(around).getBoundingClientRect();
      const hadFocus = place.contains(document.activeElement);
      shown = visible();
      pinned = null;
      view.data("nodes", shown.map(function (row) { return Object.assign({}, row); }));
      view.signal("lit", null);
      caption.say(null);
      return view.runAsync().then(function () {
        natural = [Number(svg().getAttribute("width")), Number(svg().getAttribute("height"))];
        size();
        name();
        if (before) {
          const after = elementOf(around).getBoundingClientRect();
          frame.scrollLeft += after.left - before.left;
          frame.scrollTop += after.top - before.top;
          if (hadFocus) {
            focus(around);
          }
        }
      });
    }

    // A tree for those who hear it: one stop of the tab key, arrows inside.
    function name() {
      for (let up = place.querySelector(".dots"); up && up !== frame; up = up.parentNode) {
        up.setAttribute("role", "none");
        up.removeAttribute("aria-label");
        up.removeAttribute("aria-roledescription");
      }
      if (!shown.some(function (row) { return row.number === focused; })) {
        focused = 0;
      }
      dots().forEach(function (dot) {
        const node = nodes[dot.__data__.datum.number];
        dot.setAttribute("role", "treeitem");
        dot.setAttribute("aria-roledescription", node.asks ? "question" : "leaf");
        dot.setAttribute("aria-level", depths[node.number] + 1);
        dot.setAttribute("aria-label", node.way + ". " + headText(node));
        dot.setAttribute("tabindex", node.number === focused ? 0 : -1);
        dot.dataset.number = node.number;
        if (sons[node.number].length) {
          dot.setAttribute("aria-expanded", opened.has(node.number));
        } else {
          dot.removeAttribute("aria-expanded");
        }
      });
    }

    function focus(wantedNumber) {
      focused = wantedNumber;
      dots().forEach(function (dot) {
        dot.setAttribute("tabindex", dot.__data__.datum.number === wantedNumber ? 0 : -1);
      });
      elementOf(wantedNumber).focus({ preventScroll: false });
      point(nodes[wantedNumber]);
    }

    function toggle(node) {
      if (!sons[node.number].length) {
        return false;
      }
      if (!opened.delete(node.number)) {
        opened.add(node.number);
      }
      draw(node.number).then(function () { sayOf(node); });
      return true;
    }

    function nodeOf(item) {
      return item && item.datum && item.datum.number !== undefined ? nodes[item.datum.number] : null;
    }

    function listen() {
      view.addEventListener("mouseover", function (event, item) { point(nodeOf(item)); });
      view.addEventListener("mouseout", function () { point(null); });
      view.addEventListener("click", function (event, item) {
        const node = nodeOf(item);
        if (dragged) {
          return;
        }
        if (node && node.asks && toggle(node)) {
          return;
        }
        pinned = node && pinned !== node ? node : null;
        point(pinned);
      });
      frame.addEventListener("keydown", onKey);
      frame.addEventListener("focusin", function (event) {
        if (event.target.dataset && event.target.dataset.number !== undefined) {
          point(nodes[event.target.dataset.number]);
        }
      });
      frame.addEventListener("focusout", function () { point(null); });
      frame.addEventListener("wheel", function (event) {
        if (event.ctrlKey || event.metaKey) {
          event.preventDefault();
          zoom(scale * Math.exp(-event.deltaY / 300), event);
        }
      }, { passive: false });
      frame.addEventListener("pointerdown", onDrag);
      frame.addEventListener("scroll", fade);
      window.addEventListener("resize", fade);
      let printing = null;
      window.addEventListener("beforeprint", function () {
        printing = [scale, frame.style.maxHeight, frame.style.overflow];
        Object.assign(frame.style, { maxHeight: "none", overflow: "visible" });
        scale = Math.min(1, frame.clientWidth / natural[0]);
        size();
        frame.style.maskImage = "none";
        Object.assign(svg().style, { maxWidth: "100%", height: "auto" });
      });
      window.addEventListener("afterprint", function () {
        if (printing) {
          Object.assign(frame.style, { maxHeight: printing[1], overflow: printing[2] });
          scale = printing[0];
          size();
        }
      });
      tools.wireRows(wanted.rows, function (runs) {
        caption.say(runs ? [tools.spanText(tools.sameAs(spans, runs), "leaf", "leaves")] : null);
        light(runs);
        if (runs) {
          reveal(runs);
        }
      });
    }

    function onKey(event) {
      if (!event.target.dataset || event.target.dataset.number === undefined) {
        return;
      }
      const node = nodes[event.target.dataset.number], order = shown.map(function (row) { return row.number; });
      const at = order.indexOf(node.number), open = opened.has(node.number);
      let next;
      if (event.key === "Enter" || event.key === " ") {
        toggle(node);
      } else if (event.key === "ArrowRight") {
        if (open) {
          next = sons[node.number][0];
        } else {
          toggle(node);
        }
      } else if (event.key === "ArrowLeft") {
        if (open) {
          toggle(node);
        } else {
          next = node.parent;
        }
      } else if (event.key === "ArrowDown") {
        next = order[at + 1];
      } else if (event.key === "ArrowUp") {
        next = order[at - 1];
      } else if (event.key === "Home") {
        next = order[0];
      } else if (event.key === "End") {
        next = order[order.length - 1];
      } else {
        return;
      }
      event.preventDefault();
      if (next !== undefined) {
        focus(next);
      }
    }

    // A mouse drags the drawing; fingers scroll it anyway.
    function onDrag(event) {
      dragged = false;
      if (event.pointerType !== "mouse" || event.button !== 0) {
        return;
      }
      const from = [event.clientX, event.clientY, frame.scrollLeft, frame.scrollTop];
      function move(next) {
        const x = next.clientX - from[0], y = next.clientY - from[1];
        if (dragged || Math.abs(x) + Math.abs(y) > 4) {
          dragged = true;
          frame.scrollLeft = from[2] - x;
          frame.scrollTop = from[3] - y;
          next.preventDefault();
        }
      }
      function end() {
        window.removeEventListener("pointermove", move);
        window.removeEventListener("pointerup", end);
        window.removeEventListener("pointercancel", end);
      }
      window.addEventListener("pointermove", move);
      window.addEventListener("pointerup", end);
      window.addEventListener("pointercancel", end);
    }

    closeToFirst();
    return tools.embed(place, spec).then(function (made) {
      view = made;
      listen();
      frame.setAttribute("role", "tree");
      frame.setAttribute("aria-label", wanted.label || spec.description);
      return draw();
    }).then(function () {
      // A drawing that is narrower than the page gets some air.
      const air = Math.min(1.5, (frame.clientWidth - 4) / natural[0]);
      return air > 1.02 ? (view.signal("stretch", air), draw()) : null;
    }).then(function () {
      zoom(Math.max(SMALLEST_AT_FIRST, Math.min(1, frame.clientWidth / natural[0])));
      frame.scrollLeft = 0;
      const root = elementOf(0).getBoundingClientRect(), box = frame.getBoundingClientRect();
      frame.scrollTop += root.top - box.top - frame.clientHeight / 2;
      element.dataset.ready = "yes";
      return { view: view, openAll: function () { openAll(); return draw(); }, light: light };
    });
  };

  function valueOf(spec, name) {
    return spec.signals.find(function (signal) { return signal.name === name; }).value;
  }
}());
