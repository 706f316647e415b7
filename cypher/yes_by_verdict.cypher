// kind: query
// about: runs
// reads: every run
// Verdicts of a second model: the number of questions shown to it, and the number of yes for each verdict.
// parameter run = null: only this run
// column run: the run
// column hop: the hop
// column questions: how many were shown to it
// column fact: how many yes to: every explored fact is true
// column grammar: how many yes to: the question is grammatical
// column no_leak: how many yes to: its words give nothing away
// column path: how many yes to: the path is sensible, and the answer follows from it
// column one_answer: how many yes to: there is one right answer
// column image_needed: how many yes to: nobody guesses it without the picture
// column publish: how many yes to: it is fit to publish
MATCH (run:Run)
WHERE $run IS NULL OR run.name = $run
MATCH (inspection:Inspection {run: run.name})
RETURN inspection.run AS run, inspection.hop AS hop, count(*) AS questions,
  sum(CASE WHEN inspection.fact = true THEN 1 ELSE 0 END) AS fact,
  sum(CASE WHEN inspection.grammar = true THEN 1 ELSE 0 END) AS grammar,
  sum(CASE WHEN inspection.no_leak = true THEN 1 ELSE 0 END) AS no_leak,
  sum(CASE WHEN inspection.path = true THEN 1 ELSE 0 END) AS path,
  sum(CASE WHEN inspection.one_answer = true THEN 1 ELSE 0 END) AS one_answer,
  sum(CASE WHEN inspection.image_needed = true THEN 1 ELSE 0 END) AS image_needed,
  sum(CASE WHEN inspection.publish = true THEN 1 ELSE 0 END) AS publish
ORDER BY run, hop
