// kind: write
// Gives the parts of a client that are not done back.
// parameter ids: ids of parts
// parameter client: the client's name
UNWIND $ids AS id
MATCH (part:Part {id: id})
WHERE part.client = $client AND NOT part.done
SET part.client = ''
