import { assert, describe, layer } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { SqlClient, Statement } from "effect/sql"
import type { Envelope } from "../../../../src/contract/envelope.ts"
import { TASK_CHANGE_ATTEMPTS } from "../../../../src/platform/limits.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import {
  call,
  createOperator,
  insertOrder,
  insertProperty,
  layerTest,
  typedClient,
  withToken
} from "../../../support/harness.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"

const NOT_ACTIVE = /^422 staff_id: .*not active/
const ELSEWHERE = /^422 staff_id: .*property/

const refusalOf = ({ error_code, error_msg }: Envelope) => `${error_code} ${error_msg}`

/** Two properties; Marta works in the first alone, Li in all of them, Ana in all and is switched off. */
const ready = Effect.gen(function* () {
  const operator = yield* createOperator()
  const { token, operatorId } = operator
  const harbour = yield* insertProperty(operatorId, "Harbour 1")
  const garden = yield* insertProperty(operatorId, "Garden")
  const api = yield* typedClient
  const as = withToken(token)
  const employ = (name: string, property_ids: ReadonlyArray<number>) =>
    Effect.map(api.create_staff({ name, mobile: "+49 15112345678", property_ids }).pipe(as), ({ staff_id }) => staff_id)
  const marta = yield* employ("Marta", [harbour])
  const li = yield* employ("Li", [])
  const ana = yield* employ("Ana", [])
  const switchOff = (id: number) => call(token, "update_staff", { id, is_active: false })
  yield* switchOff(ana)
  const create = (fields: object) => call(token, "create_task", { type: "cleaning", ...fields })
  const created = (fields: Omit<Parameters<typeof api.create_task>[0], "type">) =>
    Effect.map(api.create_task({ type: "cleaning", ...fields }).pipe(as), ({ task_id }) => task_id)
  const update = (id: number, fields: object) => call(token, "update_task", { id, ...fields })
  const task = (id: number) => Effect.map(api.search_tasks({ id }).pipe(as), ({ tasks }) => tasks[0])
  return { ...operator, harbour, garden, marta, li, ana, switchOff, create, created, update, task }
})

layer(layerTest, { excludeTestServices: false })("a task goes", (it) => {
  it.effect("only to an active person who works in its property, when it is created", () =>
    Effect.gen(function* () {
      const { harbour, garden, marta, li, ana, create, operatorId } = yield* ready
      const inGarden = yield* insertOrder(operatorId, [{ propertyId: garden }])
      assert.match(refusalOf(yield* create({ staff_id: ana })), NOT_ACTIVE)
      assert.match(refusalOf(yield* create({ staff_id: marta, property_id: garden })), ELSEWHERE)
      assert.match(refusalOf(yield* create({ staff_id: marta, stay_code: inGarden })), ELSEWHERE)
      for (const fields of [
        { staff_id: marta },
        { staff_id: marta, property_id: harbour },
        { staff_id: li, property_id: garden },
        { staff_id: li, stay_code: inGarden }
      ]) {
        assert.strictEqual((yield* create(fields)).error_code, 0, JSON.stringify(fields))
      }
    })
  )

  it.effect("only to such a person when it is given to another or is moved", () =>
    Effect.gen(function* () {
      const { harbour, garden, marta, li, ana, created, update, task } = yield* ready
      const id = yield* created({ staff_id: marta, property_id: harbour })
      const before = yield* task(id)
      assert.match(refusalOf(yield* update(id, { staff_id: ana })), NOT_ACTIVE)
      assert.match(refusalOf(yield* update(id, { property_id: garden })), ELSEWHERE)
      assert.deepStrictEqual(yield* task(id), before)
      // Both at once are judged together, and without a person or a property there is nothing to judge.
      assert.strictEqual((yield* update(id, { property_id: garden, staff_id: li })).error_code, 0)
      assert.match(refusalOf(yield* update(id, { staff_id: marta })), ELSEWHERE)
      assert.strictEqual((yield* update(id, { property_id: 0, staff_id: marta })).error_code, 0)
      assert.match(refusalOf(yield* update(id, { property_id: garden })), ELSEWHERE)
      assert.strictEqual((yield* update(id, { property_id: garden, staff_id: 0 })).error_code, 0)
      assert.deepInclude(yield* task(id), { property_id: garden, staff_id: null })
    })
  )

  it.effect("on to its end with a person who was switched off or works elsewhere by now", () =>
    Effect.gen(function* () {
      const { token, harbour, garden, marta, created, update, task, switchOff } = yield* ready
      const id = yield* created({ staff_id: marta, property_id: harbour })
      yield* call(token, "update_staff", { id: marta, property_ids: [garden] })
      assert.strictEqual((yield* update(id, { status: "in_progress" })).error_code, 0)
      yield* switchOff(marta)
      assert.strictEqual((yield* update(id, { status: "completed", note: "done" })).error_code, 0)
      // Sent back whole: both links are the ones it has.
      const whole = yield* task(id)
      assert.deepInclude(whole, { status: "completed", staff_id: marta, property_id: harbour })
      assert.strictEqual((yield* update(id, { ...whole })).error_code, 0)
      assert.match(refusalOf(yield* update(id, { property_id: garden })), NOT_ACTIVE)
      assert.strictEqual((yield* update(id, { staff_id: 0 })).error_code, 0)
      assert.match(refusalOf(yield* update(id, { staff_id: marta })), NOT_ACTIVE)
    })
  )
})

/** Changes the task's price just before each of the first `times` writes of it. */
const interfering = Effect.fnUntraced(function* (operatorId: number, times: number) {
  const sql = yield* SqlClient.SqlClient
  const left = yield* Ref.make(times)
  const cheaper = sql`UPDATE tasks SET fee = fee + 1 WHERE operator_id = ${operatorId}`
  return Effect.provideService(
    Statement.CurrentTransformer,
    Effect.fnUntraced(function* (statement) {
      const [text] = statement.compile()
      if (text.includes("UPDATE tasks t SET") && (yield* Ref.getAndUpdate(left, (count) => count - 1)) > 0) {
        yield* Effect.orDie(Effect.provideService(cheaper, Statement.CurrentTransformer, undefined))
      }
      return statement
    })
  )
})

layer(layerTest)("an edit of a task whose price keeps changing", (it) => {
  const edited = Effect.fnUntraced(function* (interferences: number) {
    const { operatorId, created, update, task } = yield* ready
    const id = yield* created({ fee: 1 })
    const meanwhile = yield* interfering(operatorId, interferences)
    const envelope = yield* update(id, { currency: "JPY" }).pipe(meanwhile)
    return { envelope, task: yield* task(id) }
  })

  it.effect(`is judged ${TASK_CHANGE_ATTEMPTS} times`, () =>
    Effect.gen(function* () {
      const { envelope, task } = yield* edited(TASK_CHANGE_ATTEMPTS - 1)
      assert.strictEqual(envelope.error_code, 0, envelope.error_msg)
      assert.deepInclude(task, { currency: "JPY", fee: TASK_CHANGE_ATTEMPTS })
    })
  )

  it.effect("and not once more", () =>
    Effect.gen(function* () {
      const { envelope, task } = yield* edited(TASK_CHANGE_ATTEMPTS)
      assert.strictEqual(envelope.error_code, 409)
      assert.deepInclude(task, { currency: "EUR" })
    })
  )
})

describe.skipIf(!canOverlap)(withServerNote("a task that is given away while its person changes"), () => {
  layer(layerTest)((it) => {
    it.effect("is not given to one who is being switched off", () =>
      Effect.gen(function* () {
        const { li, create, created, update, switchOff } = yield* ready
        const [, creation] = yield* runOverlapping(switchOff(li), create({ staff_id: li }))
        assert.match(refusalOf(creation), NOT_ACTIVE)
        const [, edit] = yield* runOverlapping(switchOff(li), update(yield* created({}), { staff_id: li }))
        assert.match(refusalOf(edit), NOT_ACTIVE)
      })
    )

    it.effect("is not given to one who is being sent elsewhere", () =>
      Effect.gen(function* () {
        const { token, harbour, garden, li, create } = yield* ready
        const [, envelope] = yield* runOverlapping(
          call(token, "update_staff", { id: li, property_ids: [harbour] }),
          create({ staff_id: li, property_id: garden })
        )
        assert.match(refusalOf(envelope), ELSEWHERE)
      })
    )

    it.effect("is not given to one who is being deleted", () =>
      Effect.gen(function* () {
        const { token, li, create } = yield* ready
        const [, envelope] = yield* runOverlapping(call(token, "delete_staff", { id: li }), create({ staff_id: li }))
        assert.deepStrictEqual([envelope.error_code, fieldOfError(envelope)], [404, "staff_id"])
      })
    )

    it.effect("is judged by the property it is being moved to, and moved by the person it is being given to", () =>
      Effect.gen(function* () {
        const { harbour, garden, marta, created, update, task } = yield* ready
        const moved = yield* created({ property_id: harbour })
        const [, assigned] = yield* runOverlapping(
          update(moved, { property_id: garden }),
          update(moved, { staff_id: marta })
        )
        assert.match(refusalOf(assigned), ELSEWHERE)
        assert.deepInclude(yield* task(moved), { property_id: garden, staff_id: null })
        const given = yield* created({ property_id: harbour })
        const [, second] = yield* runOverlapping(
          update(given, { staff_id: marta }),
          update(given, { property_id: garden })
        )
        assert.match(refusalOf(second), ELSEWHERE)
        assert.deepInclude(yield* task(given), { property_id: harbour, staff_id: marta })
      })
    )

    it.effect("keeps whoever is switched off just afterwards", () =>
      Effect.gen(function* () {
        const { li, created, update, task, switchOff } = yield* ready
        const id = yield* created({})
        const [assigned, off] = yield* runOverlapping(update(id, { staff_id: li }), switchOff(li))
        assert.deepStrictEqual([assigned.error_code, off.error_code], [0, 0])
        assert.deepInclude(yield* task(id), { staff_id: li })
      })
    )
  })
})
