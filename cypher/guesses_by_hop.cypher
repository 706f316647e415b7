// kind: query
// about: runs
// reads: every run
// Number of questions asked without the picture, for a run and its raw questions, and how many of them models
// answered.
// parameter run = null: only this run
// column run: the run that asked
// column kind: raw, reselected or explored
// column hop: the hop
// column model: the model that guessed
// column asked: how many questions as they were worded, kept or not
// column right: how many were answered at the first try
MATCH (run:Run)
WHERE $run IS NULL OR run.name = $run
MATCH (guess:Guess {run: run.name})
RETURN guess.run AS run, guess.kind AS kind, guess.hop AS hop, guess.model AS model, count(*) AS asked,
  sum(CASE WHEN guess.right = true THEN 1 ELSE 0 END) AS right
ORDER BY run, kind = 'explored', kind = 'reselected', hop, model
