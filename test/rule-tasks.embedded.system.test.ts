import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createLatchkey } from "../src/testing.ts"
import { PROCESSES_MS } from "./support/time-limits.ts"

// A cleaning per check-out over the public API, from the trial of the rule to a cancelled stay.

interface TaskView {
  readonly id: number
  readonly status: string
  readonly property_id: number
  readonly stay_code: string
  readonly expected: string
  readonly note: string
}

const CLEANING_RULE = {
  name: "Cleaning",
  action: "task",
  trigger: { event: "check_out", when: "after", hours: 0 },
  task: { type: "cleaning", level: "standard", staff: "property" }
}

const makeClient = (url: string, token: string) => {
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}/v3${path}`, {
      method,
      headers: { "Service-Access-Token": token, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const { error_code, error_msg, data } = JSON.parse(await response.text())
    assert.strictEqual(error_code, 0, `${method} ${path}: ${error_msg}`)
    return data
  }
  const listTasks = async (): Promise<ReadonlyArray<TaskView>> => (await send("GET", "/tasks?type=cleaning")).tasks
  return { send, listTasks }
}

describe("a cleaning per check-out", () => {
  it.live(
    "is created at the booking, moves with its stay, keeps what a person did, and is cancelled with its stay",
    () =>
      Effect.promise(async () => {
        const latchkey = await createLatchkey({ now: "2027-01-04T09:00:00.000Z", seed: "empty" })
        try {
          const host = await latchkey.operator({
            name: "Harbour Homes",
            properties: [{ title: "Flat" }, { title: "Cottage" }]
          })
          const { send, listTasks } = makeClient(latchkey.url, host.token)
          const { properties } = await send("GET", "/properties")
          const [flat, cottage]: ReadonlyArray<{ id: number }> = properties
          const { custom_channels } = await send("GET", "/custom_channels")
          const { income_methods } = await send("GET", "/income_methods")
          const trial = await send("POST", "/automation/rules/trial", CLEANING_RULE)
          assert.deepStrictEqual(trial.planned, [])
          await send("POST", "/automation/rules", CLEANING_RULE)
          const book = async (check_in_date: string, check_out_date: string): Promise<string> => {
            const { reservation_code } = await send("POST", "/reservations", {
              property_id: flat?.id,
              custom_channel_id: custom_channels[0].id,
              check_in_date,
              check_out_date,
              guest_name: "Ada Moreau",
              currency: "EUR",
              rate_amount: 100,
              commission_amount: 0,
              received_amount: 0,
              income_method_id: income_methods[0].id
            })
            return reservation_code
          }
          const taskOf = async (stay: string) => {
            await latchkey.advance("1m")
            const tasks = (await listTasks()).filter(({ stay_code }) => stay_code === stay)
            assert.lengthOf(tasks, 1)
            return tasks[0] ?? assert.fail("the stay has no task")
          }
          const moving = await book("2027-03-01", "2027-03-04")
          const other = await book("2027-04-01", "2027-04-04")
          assert.include(await taskOf(moving), { status: "pending", property_id: flat?.id ?? 0 })
          assert.include((await taskOf(moving)).expected, "2027-03-04")

          await send("PATCH", `/reservations/${moving}`, { check_out_date: "2027-03-06" })
          await send("POST", `/reservations/${moving}/allocate`, { property_id: cottage?.id })
          const moved = await taskOf(moving)
          assert.include(moved, { status: "pending", property_id: cottage?.id ?? 0, note: "" })
          assert.include(moved.expected, "2027-03-06")

          await send("PATCH", `/tasks/${moved.id}`, { status: "in_progress" })
          await send("PATCH", `/reservations/${moving}`, { check_out_date: "2027-03-08" })
          const started = await taskOf(moving)
          assert.include(started, { status: "in_progress", expected: moved.expected })
          assert.include(started.note, `stay ${moving} now needs this task on 2027-03-08`)
          assert.include(started.note, "because it had been started")

          await send("DELETE", `/reservations/${other}`)
          assert.include(await taskOf(other), { status: "cancelled", note: "" })
          assert.include(await taskOf(moving), { status: "in_progress" })
        } finally {
          await latchkey.close()
        }
      }),
    PROCESSES_MS
  )
})
