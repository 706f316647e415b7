// kind: write
// Notes that a client is still at work on its parts.
// parameter ids: ids of parts
// parameter client: the client's name
UNWIND $ids AS id
MATCH (part:Part {id: id})
WHERE part.client = $client
SET part.heard = timestamp()
