import { assert, it } from "@effect/vitest"
import { INSIDES } from "./judging.ts"

it("an answer shows the inside of the service with a place in code, not with a time of day", () => {
  const places = ["file:///srv/bin/latchkey:12:3", "f (/srv/src/main.ts:12:3)", "node:events:519:28", "<anonymous>:1:1"]
  for (const place of places) assert.match(`Error: no\n    at ${place}`, INSIDES)
  assert.notMatch('ids: must be at least one id; the value is "2027-05-07T00:00:00Z"', INSIDES)
})
