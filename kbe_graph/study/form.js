"use strict";
(() => {
  const { study, asked: askedText, words: wordsText } = document.body.dataset;
  const asked = JSON.parse(askedText), words = JSON.parse(wordsText);
  const pictures = JSON.parse(document.getElementById("pictures").textContent);
  const sections = [...document.querySelectorAll("section[data-item]")];
  const element = (id) => document.getElementById(id);
  const key = `kbe ${study}`;
  let state = { rater: "", place: 0, answers: {} };
  let stored = true;

  function load() {
    try {
      state = { ...state, ...JSON.parse(localStorage.getItem(key) || "{}") };
    } catch {
      stored = false;
    }
  }

  function save() {
    try {
      localStorage.setItem(key, JSON.stringify(state));
    } catch {
      stored = false;
    }
    if (!stored) tell("This browser saves nothing: download your answers before you close the page.");
  }

  function tell(text) {
    element("message").textContent = text;
  }

  const answerOf = (section) => state.answers[section.dataset.item] || {};
  const isComplete = (section) => asked.every((column) => answerOf(section)[column]);

  function count() {
    const complete = sections.filter(isComplete).length;
    element("progress").value = complete;
    element("place").textContent = `${state.place + 1} of ${sections.length}; ${complete} complete`;
  }

  function show(place) {
    state.place = Math.min(Math.max(place, 0), sections.length - 1);
    sections.forEach((section, index) => { section.hidden = index !== state.place; });
    sections[state.place].querySelectorAll("img[data-picture]").forEach((picture, number) => {
      if (!picture.src) picture.src = pictures[picture.dataset.picture][number];
    });
    element("back").disabled = state.place === 0;
    element("next").disabled = state.place === sections.length - 1;
    count();
    save();
  }

  function set(section, column, value) {
    state.answers[section.dataset.item] = { ...answerOf(section), [column]: value };
    count();
    save();
  }

  function fill() {
    element("rater").value = state.rater;
    for (const section of sections) {
      for (const input of section.querySelectorAll("[data-column]")) {
        const value = answerOf(section)[input.dataset.column] || "";
        if (input.type === "radio") input.checked = input.value === value;
        else input.value = value;
      }
    }
  }

  function sayNext(word) {
    const section = sections[state.place];
    const column = asked.find((name) => !answerOf(section)[name]);
    if (!column) return;
    const input = [...section.querySelectorAll(`input[data-column="${column}"]`)].find((each) => each.value === word);
    input.checked = true;
    set(section, column, word);
    if (isComplete(section)) show(state.place + 1);
  }

  function toGap() {
    const gap = sections.findIndex((section) => !isComplete(section));
    if (gap >= 0) show(gap);
    else tell("All items are complete: download your answers now.");
  }

  function answers() {
    return sections
      .map((section) => ({ id: section.dataset.item, ...answerOf(section) }))
      .filter((answer) => Object.values(answer).filter(Boolean).length > 1);
  }

  const cell = (text) => {
    const safe = /^'*[=+\-@]/.test(text) ? `'${text}` : text;
    return `"${safe.replaceAll('"', '""')}"`;
  };

  function csv() {
    const columns = [...asked, "note"];
    const rows = answers().map((answer) =>
      [study, state.rater, answer.id, ...columns.map((column) => answer[column] || "")]);
    return [["study", "rater", "id", ...columns], ...rows].map((row) => row.map(cell).join(",") + "\n").join("");
  }

  function json() {
    return JSON.stringify({ study, rater: state.rater, answers: answers() }, null, 1);
  }

  function download(text, ending, type) {
    if (!state.rater) {
      tell("Write your name or initials first.");
      element("rater").focus();
      return;
    }
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = `${study}-${state.rater.replace(/[^\p{L}\p{N}-]+/gu, "_")}.${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    const left = sections.filter((section) => !isComplete(section)).length;
    tell(left ? `Downloaded; ${left} items are not complete yet.` : "Downloaded. Thank you.");
  }

  document.querySelector("main").addEventListener("input", (event) => {
    const input = event.target;
    if (input.dataset.column) set(input.closest("section"), input.dataset.column, input.value);
  });
  element("rater").addEventListener("input", (event) => { state.rater = event.target.value.trim(); save(); });
  element("back").addEventListener("click", () => show(state.place - 1));
  element("next").addEventListener("click", () => show(state.place + 1));
  element("gap").addEventListener("click", toGap);
  element("json").addEventListener("click", () => download(json(), "json", "application/json"));
  element("csv").addEventListener("click", () => download(csv(), "csv", "text/csv"));
  element("clear").addEventListener("click", () => {
    if (!confirm("Throw away all that you have said?")) return;
    state = { rater: state.rater, place: 0, answers: {} };
    fill();
    show(0);
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("textarea, #rater")) return;
    const word = words.find((each) => each[0] === event.key);
    if (word) sayNext(word);
    else if (event.key === "j") show(state.place + 1);
    else if (event.key === "k") show(state.place - 1);
    else return;
    event.preventDefault();
  });

  load();
  fill();
  show(state.place);
})();
