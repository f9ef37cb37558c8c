import { assert, describe, it } from "@effect/vitest"
import { RecentRejections } from "../../../src/admission/gate/recent-rejections.ts"
import { REJECTED_TOKEN_MS, REJECTED_TOKENS_MAX } from "../../../src/platform/limits.ts"
import { toConsoleCaller } from "../../support/console-caller.ts"

const caller = toConsoleCaller({ operatorId: 1, accountId: 1, role: "main" })
const withToken = (token: string) => ({ "service-access-token": token })

describe("tokens of calls that were turned away", () => {
  it(`are known for ${REJECTED_TOKEN_MS} ms, by either header`, () => {
    const lately = new RecentRejections()
    lately.record(withToken("one"), caller, 1_000)
    assert.strictEqual(lately.find({ authorization: "Bearer one" }, 1_000 + REJECTED_TOKEN_MS - 1), caller)
    assert.isUndefined(lately.find(withToken("one"), 1_000 + REJECTED_TOKEN_MS))
    assert.isUndefined(lately.find(withToken("two"), 1_000))
    assert.isUndefined(lately.find({}, 1_000))
  })

  it(`are ${REJECTED_TOKENS_MAX} at most; for one more the first is forgotten`, () => {
    const lately = new RecentRejections()
    for (let nth = 0; nth < REJECTED_TOKENS_MAX; nth++) lately.record(withToken(`token ${nth}`), caller, 0)
    assert.strictEqual(lately.find(withToken("token 0"), 1), caller)
    lately.record(withToken("one more"), caller, 1)
    assert.isUndefined(lately.find(withToken("token 0"), 1))
    assert.strictEqual(lately.find(withToken("token 1"), 1), caller)
    assert.strictEqual(lately.find(withToken("one more"), 1), caller)
  })
})
