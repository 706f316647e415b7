// kind: write
// Notes that a part is done, with what came of it, unless its client has lost it.
// parameter id: the part's id
// parameter client: the client's name
// parameter content: what came of it, as text
// column part: the part's id
MATCH (part:Part {id: $id})
WHERE part.client = $client AND NOT part.done
SET part.done = true, part.heard = timestamp(), part.content = $content
RETURN part.id AS part
