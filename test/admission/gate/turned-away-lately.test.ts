import { assert, describe, it } from "@effect/vitest"
import { TurnedAwayLately } from "../../../src/admission/gate/turned-away-lately.ts"
import { CROWDED_TOKEN_MS, CROWDED_TOKENS } from "../../../src/platform/limits.ts"
import { callerBy } from "../../support/callers.ts"

const caller = callerBy({ operatorId: 1, accountId: 1, role: "main" })
const withToken = (token: string) => ({ "service-access-token": token })

describe("tokens of calls that were turned away", () => {
  it(`are known for ${CROWDED_TOKEN_MS} ms, by either header`, () => {
    const lately = new TurnedAwayLately()
    lately.note(withToken("one"), caller, 1_000)
    assert.strictEqual(lately.of({ authorization: "Bearer one" }, 1_000 + CROWDED_TOKEN_MS - 1), caller)
    assert.isUndefined(lately.of(withToken("one"), 1_000 + CROWDED_TOKEN_MS))
    assert.isUndefined(lately.of(withToken("two"), 1_000))
    assert.isUndefined(lately.of({}, 1_000))
  })

  it(`are ${CROWDED_TOKENS} at most; for one more the first is forgotten`, () => {
    const lately = new TurnedAwayLately()
    for (let nth = 0; nth < CROWDED_TOKENS; nth++) lately.note(withToken(`token ${nth}`), caller, 0)
    assert.strictEqual(lately.of(withToken("token 0"), 1), caller)
    lately.note(withToken("one more"), caller, 1)
    assert.isUndefined(lately.of(withToken("token 0"), 1))
    assert.strictEqual(lately.of(withToken("token 1"), 1), caller)
    assert.strictEqual(lately.of(withToken("one more"), 1), caller)
  })
})
