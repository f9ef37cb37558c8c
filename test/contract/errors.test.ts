import { assert, describe, it } from "@effect/vitest"
import * as Errors from "../../src/contract/errors.ts"

// Specification, Errors: the complete table.
const TABLE = [400, 401, 403, 404, 409, 420, 422, 429, 500, 501, 502, 503, 504]

const one = (code: 502 | 503 | 504) => new Errors.Upstream({ message: "m", code })
const all: ReadonlyArray<Errors.ApiError> = [
  new Errors.BadRequest({ message: "m" }),
  new Errors.Unauthenticated({ message: "m" }),
  new Errors.Forbidden({ message: "m" }),
  new Errors.NotFound({ message: "m" }),
  new Errors.Conflict({ message: "m" }),
  new Errors.SubscriptionRequired({ message: "m" }),
  new Errors.ValidationFailed({ message: "m" }),
  new Errors.RateLimited({ message: "m", headers: {} }),
  new Errors.ServerError({ message: "m" }),
  new Errors.NotImplemented({ message: "m" }),
  one(502),
  one(503),
  one(504)
]

describe("the error table", () => {
  it("has one error for every code of the specification and no other", () => {
    assert.deepStrictEqual(all.map(Errors.errorCode), TABLE)
  })

  it("has errors without a stack, and leaves it to others", () => {
    for (const error of all) assert.strictEqual(error.stack, `${error._tag}: m`)
    assert.include(new Error("other").stack, "errors.test.ts")
    const limit = Error.stackTraceLimit
    assert.throws(() => Reflect.construct(Errors.NotFound, [{ message: 5 }]))
    assert.strictEqual(Error.stackTraceLimit, limit)
  })
})
