import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  type CurrentRuleTask,
  type ExistingRuleTask,
  isUntouched,
  type RuleTaskContent,
  reconcileRuleTask
} from "../../../../src/domain/work/tasks/rule-tasks.ts"
import { PROPERTY_RUNS } from "../../../support/property-runs.ts"

const STAY = { stay_code: "5-ABC", property_title: "Harbour 1" }

interface ModelStay {
  readonly isAccepted: boolean
  readonly property_id: number | null
  readonly check_out_date: string
}

interface Model {
  readonly stay: ModelStay
  readonly existing: ExistingRuleTask | undefined
  readonly isTouched: boolean
  readonly created: number
}

type Operation =
  | { readonly kind: "move"; readonly day: number }
  | { readonly kind: "reassign"; readonly property: number | null }
  | { readonly kind: "cancel" | "accept" | "start" | "complete" | "delete" | "plan" }

const operations: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("move" as const), day: fc.integer({ min: 1, max: 28 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("reassign" as const),
      property: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null })
    })
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom("cancel" as const, "accept" as const, "plan" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom("start" as const, "complete" as const, "delete" as const) })
  }
)

const toWanted = ({ isAccepted, property_id, check_out_date }: ModelStay): RuleTaskContent | undefined =>
  isAccepted
    ? {
        type: "cleaning",
        level: "standard",
        property_id,
        staff_id: property_id,
        expected_date: check_out_date,
        expected_time: "11:00:00"
      }
    : undefined

/** Applies the step as the planner's statement does. */
const plan = (model: Model): Model => {
  const step = reconcileRuleTask(model.existing, toWanted(model.stay), STAY)
  if (step === undefined) return model
  if (step.kind === "create") {
    const task = { ...step.target, fee: 0, note: "" }
    return { ...model, created: model.created + 1, existing: { target: step.target, task, staff_exists: true } }
  }
  return { ...model, existing: { target: step.target, task: { ...step.task, fee: 0 }, staff_exists: true } }
}

const changeTask = (model: Model, change: (task: CurrentRuleTask) => CurrentRuleTask | null): Model =>
  model.existing?.task == null
    ? model
    : { ...model, isTouched: true, existing: { ...model.existing, task: change(model.existing.task) } }

const apply = (model: Model, operation: Operation): Model => {
  const { stay } = model
  switch (operation.kind) {
    case "move":
      return plan({ ...model, stay: { ...stay, check_out_date: `2027-05-${String(operation.day).padStart(2, "0")}` } })
    case "reassign":
      return plan({ ...model, stay: { ...stay, property_id: operation.property } })
    case "cancel":
      return plan({ ...model, stay: { ...stay, isAccepted: false } })
    case "accept":
      return plan({ ...model, stay: { ...stay, isAccepted: true } })
    case "start":
      return changeTask(model, (task) => ({ ...task, status: "in_progress" }))
    case "complete":
      return changeTask(model, (task) => ({ ...task, status: "completed" }))
    case "delete":
      return changeTask(model, () => null)
    case "plan":
      return plan(model)
  }
}

const START: Model = {
  stay: { isAccepted: true, property_id: 1, check_out_date: "2027-05-04" },
  existing: undefined,
  isTouched: false,
  created: 0
}

describe("reconcileRuleTask", () => {
  it("keeps one task at the right place and day until a person changes it, and then all values but the note", () => {
    fc.assert(
      fc.property(fc.array(operations, { maxLength: 50 }), (list) => {
        let model = plan(START)
        for (const operation of list) {
          const before = model
          model = apply(model, operation)
          const task = model.existing?.task
          assert.isAtMost(model.created, 1)
          if (task == null) continue
          if (!model.isTouched) {
            const { isAccepted, property_id, check_out_date } = model.stay
            assert.strictEqual(task.status, isAccepted ? "pending" : "cancelled")
            assert.strictEqual(task.note, "")
            if (isAccepted) assert.include(task, { property_id, expected_date: check_out_date })
          } else if (before.isTouched) {
            const kept = before.existing?.task
            const isByPerson = operation.kind === "start" || operation.kind === "complete"
            if (kept != null && !isByPerson) assert.deepStrictEqual({ ...task, note: kept.note }, kept)
          }
          // Planning again changes nothing.
          assert.strictEqual(plan(model), model)
        }
      }),
      { numRuns: PROPERTY_RUNS }
    )
  })
})

describe("isUntouched", () => {
  const target = {
    type: "cleaning",
    level: "standard",
    property_id: 1,
    staff_id: 2,
    expected_date: "2027-05-04",
    expected_time: "11:00:00",
    status: "pending"
  } as const
  const task = { ...target, fee: 0, note: "" }

  it.each([
    { note: "key at the desk" },
    { fee: 5 },
    { status: "in_progress" as const },
    { staff_id: 3 },
    { expected_date: "2027-05-05" },
    { level: "advanced" as const }
  ])("is false after a person's change: %o", (change) => {
    assert.isTrue(isUntouched({ target, task, staff_exists: true }))
    assert.isFalse(isUntouched({ target, task: { ...task, ...change }, staff_exists: true }))
  })

  it("ignores that a deleted staff member left the task", () => {
    assert.isTrue(isUntouched({ target, task: { ...task, staff_id: null }, staff_exists: false }))
    assert.isFalse(isUntouched({ target, task: { ...task, staff_id: null }, staff_exists: true }))
  })
})
