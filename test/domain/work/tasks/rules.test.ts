import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { errorCode } from "../../../../src/contract/errors.ts"
import { checkAssignable, resolveTaskProperty } from "../../../../src/domain/work/tasks/rules.ts"

const id = fc.integer({ min: 1, max: 5 })
const idOrNull = fc.option(id)

describe("the property of a task", () => {
  it("is the one asked for, else that of the stay, and never contradicts the stay", () => {
    fc.assert(
      fc.property(idOrNull, fc.option(fc.record({ property_id: idOrNull })), (asked, stay) => {
        const property = resolveTaskProperty(asked, stay)
        const ofStay = stay?.property_id ?? null
        if (asked !== null && ofStay !== null && asked !== ofStay) {
          assert.isTrue(Result.isFailure(property))
        } else {
          assert.deepStrictEqual(property, Result.succeed(asked ?? ofStay))
        }
      })
    )
  })
})

const person = fc.record({ is_active: fc.boolean(), property_ids: fc.uniqueArray(id) })

describe("a task", () => {
  it("goes to an active person who works in its property, or in all", () => {
    fc.assert(
      fc.property(person, idOrNull, (who, propertyId) => {
        const worksThere = propertyId === null || who.property_ids.length === 0 || who.property_ids.includes(propertyId)
        const assigned = checkAssignable(who, propertyId)
        if (who.is_active && worksThere) assert.deepStrictEqual(assigned, Result.succeed(who))
        else assert.strictEqual(codeOf(assigned), 422)
      })
    )
  })

  it("goes to nobody there is not", () => {
    assert.strictEqual(codeOf(checkAssignable(null, 1)), 404)
  })
})

const codeOf = (assigned: ReturnType<typeof checkAssignable>): number =>
  Result.match(assigned, { onFailure: errorCode, onSuccess: () => 0 })
