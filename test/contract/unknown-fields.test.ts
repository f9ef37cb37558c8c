import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { makeInputDecoder } from "../../src/contract/input.ts"
import { makeUnknownFieldCheck } from "../../src/contract/unknown-fields.ts"
import { REPORTED_FIELDS_MAX } from "../../src/platform/limits.ts"

const Payload = Schema.Struct({
  name: Schema.String,
  trigger: Schema.optionalKey(Schema.Struct({ event: Schema.String })),
  names: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  fees: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String })))
})

const check = makeUnknownFieldCheck(Payload.ast)

describe("unknown fields", () => {
  it("are named with the object that they are in, and no more than so many", () => {
    for (const input of [{ name: "A" }, { names: { a: "b" } }, { trigger: null }, { trigger: [] }, [], null, "name"]) {
      assert.isUndefined(check(input))
    }
    const error = check({ name: "A", nmae: "B", trigger: { event: "C", when: "D" }, "a\nb": 1 })
    assert.strictEqual(error?._tag, "BadRequest")
    assert.match(error?.message ?? "", /^nmae: is an unknown field\. .* trigger\.when: is an unknown field\.$/)
    assert.notInclude(error?.message, "\n")
    assert.isUndefined(check({ name: "A", fees: [{ name: "B" }, null, "C"] }))
    const inList = check({ name: "A", fees: [{ name: "B" }, { name: "C", prcent: 3 }] })
    assert.strictEqual(inList?.message, "fees[1].prcent: is an unknown field.")
    const many = check(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`unknown_${n}`, n])))
    assert.lengthOf(many?.message.match(/unknown field/g) ?? [], REPORTED_FIELDS_MAX)
  })

  it("are an error in a body and in arguments where an operation says so, and ignored elsewhere", () => {
    const input = { name: "A", trigger: { event: "B", when: "C" } }
    const read = (encoding: "body" | "json", rejectsUnknownFields?: true) =>
      Effect.runSync(
        Effect.result(
          makeInputDecoder(Payload, {
            method: "POST",
            params: [],
            ...(rejectsUnknownFields === undefined ? {} : { rejectsUnknownFields })
          })({ encoding, fields: input }, {})
        )
      )
    for (const encoding of ["body", "json"] as const) {
      assert.strictEqual(read(encoding)._tag, "Success")
      const rejected = read(encoding, true)
      assert.isTrue(rejected._tag === "Failure" && rejected.failure.message === "trigger.when: is an unknown field.")
    }
  })
})
