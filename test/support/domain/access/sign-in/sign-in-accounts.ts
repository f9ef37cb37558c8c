import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { computeDigest } from "../../../../../src/admission/gate/credentials.ts"
import { Operators } from "../../../../../src/domain/access/operators/Operators.ts"
import { PasswordCost } from "../../../../../src/domain/access/operators/password.ts"
import type { PasswordConfirmation } from "../../../../../src/domain/access/sign-in/Sessions.ts"
import { asSystemActor } from "../../../harness.ts"

/** What a hash costs in tests, where nobody steals it. */
export const CHEAP_PASSWORD_COST: PasswordCost = { N: 16, r: 8, p: 1 }
export const withCheapHashing = Effect.provideService(PasswordCost, CHEAP_PASSWORD_COST)

export const PASSWORD = "correct horse"

/** An operator whose main account signs in with {@link PASSWORD}. */
export const createSignInAccount = (name = "Harbour Stays", cost = CHEAP_PASSWORD_COST) =>
  Effect.gen(function* () {
    const email = `${randomBytes(8).toString("hex")}@example.test`
    const operator = yield* Operators.use((operators) =>
      operators.create({ name, time_zone: "Europe/Lisbon", currency: "EUR", email, password: PASSWORD })
    ).pipe(Effect.provide(Operators.layer), Effect.provideService(PasswordCost, cost), asSystemActor)
    return { operatorId: operator.operator_id, accountId: operator.account_id, email }
  }).pipe(Effect.orDie)

/** What the console answers of a password that was right, where a test says which that is. */
export const toPasswordConfirmation = (cookie: string, accountId = 0): PasswordConfirmation => ({
  ...{ accountId, cookie },
  passwordDigest: computeDigest(PASSWORD),
  source: { key: "", isKnown: true }
})
