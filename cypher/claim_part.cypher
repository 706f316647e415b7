// kind: write
// Gives a part to a client, where it is not done and no other client holds it.
// parameter id: the part's id
// parameter client: the client's name
// parameter lease: milliseconds after which a client that was not heard of has lost its parts (or before: the clock was set back)
// column part: the part's id
MATCH (part:Part {id: $id})
WHERE NOT part.done AND (part.client IN ['', $client] OR abs(timestamp() - part.heard) > $lease)
SET part.client = $client, part.heard = timestamp()
RETURN part.id AS part
