// kind: read
// The runs with their settings.
// column name: the run's name
// column seed: its seed, as text
// column settings: its settings, as JSON
// column status: complete, running (or cut off), or failed
MATCH (run:Run)
RETURN run.name AS name, run.seed AS seed, run.settings AS settings,
  coalesce(run.status, 'complete') AS status
ORDER BY name
