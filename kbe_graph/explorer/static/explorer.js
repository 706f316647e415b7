"use strict";
// What a page does beyond its HTML: fits the graph, moves the hop slider, and keeps its state in the address.

function fitGraph(place) {
  place.classList.remove("narrow");
  place.classList.toggle("narrow", place.scrollWidth > place.clientWidth);
}

function startGraph(place) {
  new ResizeObserver(() => fitGraph(place)).observe(place.parentElement);
  place.addEventListener("mouseover", (event) => { // the same node, wherever it is drawn
    const number = event.target.dataset.node;
    for (const node of place.querySelectorAll(".node")) { node.classList.toggle("same", node.dataset.node === number); }
  });
}

function showHop(place, hop) {
  for (const branch of place.querySelectorAll("li")) {
    branch.classList.toggle("away", Number(branch.dataset.hop) > hop);
    branch.classList.toggle("on-key", branch.dataset.key.split(" ").includes(String(hop)));
  }
  fitGraph(place);
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

function startSlider(place) {
  const slider = document.getElementById("hop");
  slider.addEventListener("input", () => {
    slider.parentElement.querySelector("output").value = slider.value === "0" ? "raw" : `hop ${slider.value}`;
    showHop(place, Number(slider.value));
    keepInAddress("hop", slider.value);
  });
  showHop(place, Number(slider.value));
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
  startGraph(place);
  if (document.getElementById("hop")) { startSlider(place); }
}
const form = document.getElementById("console");
if (form) { startConsole(form); }
