import { assert, layer } from "@effect/vitest"
import { Effect, Random } from "effect"
import { SqlClient } from "effect/sql"
import { addDays } from "../../../src/contract/time.ts"
import { dispatchAndPlan, layerAutomationService } from "../../support/domain/automation/automation-service.ts"
import { createCleanedHost } from "../../support/domain/automation/cleaned-host.ts"
import { insertProperty } from "../../support/harness.ts"

// RULE_TASK_OPERATIONS and RULE_TASK_SEED set the length and the seed of the run:
// RULE_TASK_OPERATIONS=10000 npx vitest run --project service test/domain/automation/random-bookings.service.test.ts

const OPERATIONS = Number(process.env["RULE_TASK_OPERATIONS"] ?? 200)
const SEED = process.env["RULE_TASK_SEED"] ?? "cleanings"
const FIRST_DAY = "2027-05-01"
const DAYS = 330
const PROPERTIES = 5
/** Checking all stays takes long when there are thousands. */
const BATCHES_PER_CHECK = OPERATIONS > 1_000 ? 25 : 1

interface WrongStay {
  readonly stay_code: string
  readonly status: string
  readonly cleanings: number
}

/** Accepted stays that do not have exactly one cleaning that is not cancelled, and other stays that have one. */
const findWrongStays = (operatorId: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<WrongStay>`
      SELECT * FROM (
        SELECT s.stay_code, o.status, count(t.id)::int AS cleanings,
          coalesce(bool_and(t.property_id IS NOT DISTINCT FROM s.property_id AND t.expected_date = s.check_out_date)
            FILTER (WHERE t.id IS NOT NULL), true) AS is_right
        FROM stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
        LEFT JOIN tasks t ON t.operator_id = s.operator_id AND t.stay_id = s.id AND t.type = 'cleaning' AND t.status <> 'cancelled'
        WHERE s.operator_id = ${operatorId} GROUP BY 1, 2) stay
      WHERE cleanings <> (status = 'accepted')::int OR NOT is_right`
  ).pipe(Effect.orDie)

const countRows = (operatorId: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      SELECT (SELECT count(*)::int FROM stays WHERE operator_id = ${operatorId}) AS stays,
        (SELECT count(*)::int FROM orders WHERE operator_id = ${operatorId} AND status = 'accepted') AS accepted,
        (SELECT count(*)::int FROM tasks WHERE operator_id = ${operatorId}) AS tasks,
        (SELECT count(*)::int FROM tasks WHERE operator_id = ${operatorId} AND status = 'pending') AS pending,
        (SELECT count(*)::int FROM stays WHERE operator_id = ${operatorId} AND property_id IS NULL) AS unassigned`
  ).pipe(Effect.orDie)

/** A random booking, move, reassignment or cancellation. One that the service rejects changes nothing. */
const makeRandomChange = Effect.gen(function* () {
  const host = yield* createCleanedHost
  yield* host.createRule
  const { api, as, operatorId } = host
  const properties = [host.property, host.otherProperty]
  while (properties.length < PROPERTIES) {
    properties.push(yield* insertProperty(operatorId, `Harbour ${properties.length + 1}`))
  }
  const codes: Array<string> = []
  const pickFrom = <A>(list: ReadonlyArray<A>) =>
    Effect.map(Random.nextIntBetween(0, list.length - 1), (index) => list[index])
  const pickDates = Effect.gen(function* () {
    const checkIn = addDays(FIRST_DAY, yield* Random.nextIntBetween(0, DAYS))
    return { checkIn, checkOut: addDays(checkIn, yield* Random.nextIntBetween(1, 7)) }
  })
  const outcomes = new Map<string, number>()
  const change = Effect.gen(function* () {
    const kind = yield* pickFrom(["book", "book", "move", "move", "allocate", "unassign", "cancel"])
    const { checkIn, checkOut } = yield* pickDates
    const property = (yield* pickFrom(properties)) ?? 0
    const code = codes.length === 0 ? undefined : yield* pickFrom(codes)
    const attempt = Effect.gen(function* () {
      if (kind === "book" || code === undefined) {
        codes.push((yield* host.createReservation(checkIn, checkOut, property)).reservation_code)
      } else if (kind === "move") {
        yield* api
          .update_reservation_basic({ stay_code: code, check_in_date: checkIn, check_out_date: checkOut })
          .pipe(as)
      } else if (kind === "allocate") yield* api.allocate_stay({ stay_code: code, property_id: property }).pipe(as)
      else if (kind === "unassign") yield* api.move_stay_to_box({ stay_code: code }).pipe(as)
      else yield* api.cancel_reservation({ reservation_code: code }).pipe(as)
    })
    const outcome = yield* Effect.match(attempt, { onSuccess: () => "done", onFailure: (error) => error._tag })
    const name = `${kind} ${outcome}`
    outcomes.set(name, (outcomes.get(name) ?? 0) + 1)
  })
  return { change, operatorId, outcomes }
})

layer(layerAutomationService)("random bookings, moves, reassignments and cancellations", (it) => {
  it.effect(
    `leave exactly one cleaning that is not cancelled per accepted check-out (${OPERATIONS}, seed ${SEED})`,
    () =>
      Random.withSeed(
        Effect.gen(function* () {
          const { change, operatorId, outcomes } = yield* makeRandomChange
          let [remaining, batches] = [OPERATIONS, 0]
          while (remaining > 0) {
            const batch = Math.min(remaining, yield* Random.nextIntBetween(1, 6))
            for (let n = 0; n < batch; n++) yield* change
            remaining -= batch
            yield* dispatchAndPlan
            batches += 1
            if (remaining > 0 && batches % BATCHES_PER_CHECK !== 0) continue
            const wrongStays = yield* findWrongStays(operatorId)
            if (wrongStays.length > 0) assert.deepStrictEqual(wrongStays, [])
          }
          for (const kind of ["book", "move", "allocate", "unassign", "cancel"])
            assert.isAbove(outcomes.get(`${kind} done`) ?? 0, 0, kind)
          if (process.env["RULE_TASK_OPERATIONS"] !== undefined) {
            yield* Effect.logInfo(Object.fromEntries(outcomes), yield* countRows(operatorId))
          }
        }),
        SEED
      ),
    60_000 + OPERATIONS * 500
  )
})
