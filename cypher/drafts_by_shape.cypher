// kind: query
// about: runs
// reads: every draft
// Drafts of questions by shape and number of facts: how many were written, mended, named by a model without the picture,
// solved with picture and facts, passed and chosen, and how many chosen ones a model also answers without the facts.
// parameter run = null: a run's name, or null for all
// column run: the run
// column shape: the shape
// column hop: the number of facts, at least 1
// column drafts: how many were written
// column mended: how many of them are mended ones
// column guessed: how many were answered without the picture
// column solved: how many were answered with the picture and the facts
// column passed: how many passed every gate
// column chosen: how many are asked
// column unaided: how many of the chosen were answered with the picture alone
MATCH (draft:Draft)
WHERE ($run IS NULL OR draft.run = $run) AND draft.shape <> '' AND coalesce(draft.twin, '') = ''
RETURN draft.run AS run, draft.shape AS shape, draft.hop AS hop, count(*) AS drafts,
  count(CASE WHEN draft.mends > 0 THEN 1 END) AS mended,
  count(CASE WHEN draft.reason = 'guessed without the picture' THEN 1 END) AS guessed,
  count(CASE WHEN draft.solved <> '' AND draft.reason <> 'not solved' THEN 1 END) AS solved,
  count(CASE WHEN draft.status <> 'refused' THEN 1 END) AS passed,
  count(CASE WHEN draft.status = 'chosen' THEN 1 END) AS chosen,
  count(CASE WHEN draft.is_unaided_right THEN 1 END) AS unaided
ORDER BY run, shape, hop
