// kind: read
// The parts of shared work that were begun or done.
// parameter work: which work
// parameter stage: a stage of it
// column id: the part's id
// column client: who holds it, or nothing
// column heard: how many milliseconds ago the client was heard of
// column done: whether it is done
// column shards: how many shards the work was cut into
MATCH (part:Part {work: $work})
WHERE part.stage = $stage
RETURN part.id AS id, part.client AS client, timestamp() - part.heard AS heard, part.done AS done, part.shards AS shards
