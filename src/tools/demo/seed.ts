import { randomBytes } from "node:crypto"
import { Data, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentActor, systemActor } from "../../contract/actor.ts"
import { currentSecond, dateInZone } from "../../contract/time.ts"
import { Operators } from "../../domain/access/operators/Operators.ts"
import { loadOrdersWithAssignedCodes } from "./assigned-codes.ts"
import type { DemoOperator } from "./demo-operator.ts"
import { makeDemoOrders } from "./orders.ts"
import { DEMO_PROPERTIES } from "./properties.ts"
import { writeAutomation } from "./write-automation.ts"
import { writeChannels } from "./write-channels.ts"
import { writeDictionary } from "./write-dictionary.ts"
import { writeDirectOrders } from "./write-direct-orders.ts"
import { writeKnowledge } from "./write-knowledge.ts"
import { writePortfolio } from "./write-portfolio.ts"
import { writeProperties } from "./write-properties.ts"
import { writeStaffAndTasks } from "./write-staff-and-tasks.ts"
import { writeTransactions } from "./write-transactions.ts"

/** The database has only hashes of password and token. */
export interface DemoAccess {
  readonly operatorId: number
  readonly accountId: number
  readonly email: string
  readonly password: string
  readonly token: string
  readonly timeZone: string
}

export class OperatorsExist extends Data.TaggedError("OperatorsExist")<{
  /** Undefined if there is no demo operator. */
  readonly demoAccountId: number | undefined
}> {
  override get message(): string {
    return "the database already has an operator; the demo operator needs an empty database"
  }
}

export const DEMO_EMAIL = "host@demo.example"
const DEMO_NAME = "Two Harbours Stays"
const TIME_ZONE = "Europe/Lisbon"
const PASSWORD_BYTES = 12

/** Each writer needs the rows of the previous ones. */
const BASE_WRITERS = [writePortfolio, writeChannels, writeDirectOrders]
const ORDER_DEPENDENT_WRITERS = [
  writeTransactions,
  writeDictionary,
  writeStaffAndTasks,
  writeKnowledge,
  writeAutomation
]

/** Runs in one transaction. If several processes start at once, only one of them seeds. */
export const seedDemo = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const operators = yield* Operators
  yield* sql`LOCK TABLE operators IN SHARE ROW EXCLUSIVE MODE`
  const operatorRows = yield* sql<{ demo: number | null }>`
    SELECT (SELECT id FROM accounts WHERE lower(email) = ${DEMO_EMAIL}) AS demo FROM operators LIMIT 1`
  if (operatorRows[0] !== undefined)
    return yield* new OperatorsExist({ demoAccountId: operatorRows[0].demo ?? undefined })

  const password = randomBytes(PASSWORD_BYTES).toString("base64url")
  const { operator_id: operatorId, account_id: accountId } = yield* operators.create({
    name: DEMO_NAME,
    time_zone: TIME_ZONE,
    currency: "EUR",
    email: DEMO_EMAIL,
    password
  })
  const { token } = yield* operators.createToken({ account_id: accountId, name: "Demo", scope: "writable" })
  const now = yield* currentSecond
  const today = dateInZone(now, TIME_ZONE)
  const operator: DemoOperator = {
    operatorId,
    accountId,
    accountName: DEMO_NAME,
    timeZone: TIME_ZONE,
    now,
    today,
    propertyIds: yield* writeProperties(
      operatorId,
      DEMO_PROPERTIES.map(({ title }) => title),
      now
    ),
    orders: makeDemoOrders(today, TIME_ZONE)
  }
  yield* Effect.forEach(BASE_WRITERS, (write) => write(operator), { discard: true })
  const operatorWithCodes = { ...operator, orders: yield* loadOrdersWithAssignedCodes(operator) }
  yield* Effect.forEach(ORDER_DEPENDENT_WRITERS, (write) => write(operatorWithCodes), { discard: true })
  const access: DemoAccess = { operatorId, accountId, email: DEMO_EMAIL, password, token, timeZone: TIME_ZONE }
  return access
}).pipe(
  (seeding) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(seeding)),
  // The demo data is valid, so other failures are defects.
  Effect.catchIf((error) => error._tag !== "OperatorsExist", Effect.die),
  Effect.provide(Operators.layer),
  // Builds new stores that use this transaction. Shared stores may use other connections.
  Effect.provideServiceEffect(Layer.CurrentMemoMap, Layer.makeMemoMap),
  Effect.provideService(CurrentActor, systemActor("Latchkey", "demo seed")),
  Effect.withSpan("seedDemo")
)
