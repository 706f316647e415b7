"use strict";
// What a page does beyond its HTML: draws the graph, moves the hop slider, and keeps its state in the address.

const READABLE = 0.85; // the zoom below which labels are too small to read; "fit" shows the whole all the same
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function graphStyle() {
  return [
    { selector: "node", style: {
      label: "data(label)", shape: "round-rectangle", width: "label", height: "label", padding: "8px",
      "font-size": 13, "text-valign": "center", "text-wrap": "wrap", "text-max-width": 150, color: colour("text"),
      "background-color": colour("card"), "border-width": 1.5, "border-color": colour("edge") } },
    { selector: "edge", style: {
      label: "data(label)", "font-size": 11, color: colour("text"), "text-wrap": "wrap", "text-max-width": 110,
      "text-background-color": colour("raised"), "text-background-opacity": 0.9, "text-background-padding": "2px",
      "curve-style": "bezier", "target-arrow-shape": "triangle", width: 1.5, "line-color": colour("faint"),
      "target-arrow-color": colour("faint") } },
    { selector: "edge[graph = 'visual']", style: {
      "line-color": colour("seen"), "target-arrow-color": colour("seen") } },
    { selector: "edge[graph = 'textual']", style: {
      "line-color": colour("told"), "target-arrow-color": colour("told"), "line-style": "dashed" } },
    { selector: "edge.on-key", style: {
      width: 4, "line-color": colour("key"), "target-arrow-color": colour("key"), "z-index": 9 } },
    { selector: "node.on-key", style: { "border-width": 3, "border-color": colour("key") } },
    { selector: ".away", style: { display: "none" } },
  ];
}

function drawGraph(place) {
  const { nodes, edges } = JSON.parse(document.getElementById("drawing").textContent);
  const elements = [...nodes, ...edges].map((data) => ({ data }));
  cytoscape.warnings(false); // a node as wide as its label is what is wanted
  const graph = cytoscape({
    container: place, elements, style: graphStyle(), minZoom: 0.1, maxZoom: 3,
    userZoomingEnabled: false, // the page scrolls; there are buttons
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => graph.style(graphStyle()));
  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => {
      const factor = Number(button.dataset.zoom);
      if (!factor) { graph.fit(graph.elements(":visible"), 20); return; }
      graph.zoom({ level: graph.zoom() * factor, renderedPosition: { x: graph.width() / 2, y: graph.height() / 2 } });
    });
  }
  return graph;
}

function layOut(graph) {
  const rankDir = graph.width() > 600 ? "LR" : "TB";
  graph.elements(":visible").layout({ name: "dagre", rankDir, nodeSep: 12, rankSep: 70, edgeSep: 8, padding: 20 }).run();
  const key = graph.elements(".on-key");
  if (graph.zoom() < READABLE) { graph.zoom(READABLE); graph.center(key.nonempty() ? key : graph.elements(":visible")); }
  graph.container().dataset.zoom = graph.zoom();
  if (graph.zoom() > 1.3) { graph.zoom(1.3); graph.center(graph.elements(":visible")); }
}

function showHop(graph, hop) {
  graph.edges().forEach((edge) => {
    edge.toggleClass("away", edge.data("hop") > hop);
    edge.toggleClass("on-key", edge.data("key").includes(hop));
  });
  graph.nodes().forEach((node) => {
    const near = node.connectedEdges().filter((edge) => !edge.hasClass("away"));
    node.toggleClass("away", node.degree() > 0 && near.empty());
    node.toggleClass("on-key", near.some((edge) => edge.hasClass("on-key")));
  });
  layOut(graph);
  for (const row of document.querySelectorAll("#triplets tr[data-hop]")) {
    row.classList.toggle("away", Number(row.dataset.hop) > hop);
  }
  for (const question of document.querySelectorAll(".chain > li")) {
    question.classList.toggle("now", Number(question.dataset.hop) === hop && !question.matches(".dropped"));
  }
}

function keepInAddress(name, value) {
  const url = new URL(location.href);
  url.searchParams.set(name, value);
  history.replaceState(null, "", url);
}

function startSlider(graph) {
  const slider = document.getElementById("hop");
  slider.addEventListener("input", () => {
    slider.parentElement.querySelector("output").value = slider.value;
    showHop(graph, Number(slider.value));
    keepInAddress("hop", slider.value);
  });
  showHop(graph, Number(slider.value));
}

function startConsole(form) {
  if ("asked" in form.dataset) { history.replaceState(null, "", form.dataset.link); }
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); form.requestSubmit(); }
  });
}

document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.target.closest("input, textarea, select")) {
    event.preventDefault();
    document.getElementById("search").focus();
  }
});

const place = document.getElementById("graph");
if (place) {
  const graph = drawGraph(place);
  if (document.getElementById("hop")) { startSlider(graph); } else { showHop(graph, 0); }
  place.dataset.drawn = graph.nodes().length;
}
const form = document.getElementById("console");
if (form) { startConsole(form); }
