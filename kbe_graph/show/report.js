"use strict";
// Filters the questions of a report. The address keeps the filters, so that it can be copied.
const NAMES = ["words", "row", "verdict"];
const $ = (id) => document.getElementById(id);

function filter() {
  const wanted = Object.fromEntries(NAMES.map((name) => [name, $(name).value]));
  const words = wanted.words.toLowerCase().split(/\s+/).filter(Boolean);
  const cards = [...document.querySelectorAll(".sample .question")];
  for (const card of cards) card.hidden = !isWanted(card, wanted, words);
  for (const sample of document.querySelectorAll(".sample")) sample.hidden = !sample.querySelector(".question:not([hidden])");
  $("count").textContent = `${cards.filter((card) => !card.hidden).length} of ${cards.length} questions`;
}

function isWanted(card, wanted, words) {
  const text = `${card.id} ${card.textContent}`.toLowerCase();
  return (!wanted.row || card.dataset.row === wanted.row)
    && (!wanted.verdict || card.dataset.verdicts.split(" ").includes(wanted.verdict))
    && words.every((word) => text.includes(word));
}

function keep() {
  const values = new URLSearchParams(NAMES.filter((name) => $(name).value).map((name) => [name, $(name).value]));
  history.replaceState(null, "", `#?${values}`);
  filter();
}

if ($("filters")) {
  const values = new URLSearchParams(location.hash.startsWith("#?") ? location.hash.slice(2) : "");
  for (const name of NAMES) $(name).value = values.get(name) ?? "";
  $("filters").addEventListener("input", keep);
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  filter();
}
