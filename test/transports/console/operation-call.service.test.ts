import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ConcurrencyLimiter } from "../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { ERROR_CODES } from "../../../src/contract/errors.ts"
import { Service } from "../../../src/service/service.ts"
import { callOperation, toPageStatus } from "../../../src/transports/console/operation-call.ts"
import type { SignedInVisit } from "../../../src/transports/console/visit.ts"
import { toConsoleCaller } from "../../support/console-caller.ts"
import { fieldOfError } from "../../support/error-messages.ts"
import { createOperator, layerTest } from "../../support/harness.ts"

/** A visit of somebody of an operator. */
const visitOf = ({
  operatorId,
  accountId
}: {
  readonly operatorId: number
  readonly accountId: number
}): SignedInVisit => ({
  target: "/console/access",
  path: "/console/access",
  query: new URLSearchParams(),
  cookie: "",
  formToken: "",
  formKey: "",
  ipAddress: "",
  session: {
    email: "owner@example.test",
    operatorName: "Test",
    passwordAt: 0,
    person: {
      caller: toConsoleCaller({ operatorId, accountId, role: "main" }),
      status: "active",
      subscriptionUntil: null
    }
  }
})

layer(Layer.fresh(layerTest))("a call of a page", (it) => {
  it.effect("is answered as any call of the API, or refused with a status that HTTP has", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const visit = visitOf(yield* createOperator())
      assert.deepStrictEqual(yield* callOperation(service, visit, "list_event_consumers", {}), {
        _tag: "Ok",
        data: { event_consumers: [] }
      })
      const refused = yield* callOperation(service, visit, "delete_event_consumer", { name: "robot" })
      assert.deepInclude(refused, { _tag: "Refused", status: 404 })
      assert.strictEqual(fieldOfError({ error_msg: refused._tag === "Refused" ? refused.message : "" }), "name")
      const banned = { ...visit.session, person: { ...visit.session.person, status: "banned" as const } }
      assert.deepStrictEqual(yield* callOperation(service, { ...visit, session: banned }, "list_event_consumers", {}), {
        _tag: "Refused",
        status: 403,
        message: "Account banned"
      })
      const codes = [...Object.values(ERROR_CODES), 502, 503, 504]
      assert.deepStrictEqual(codes.map(toPageStatus), [400, 403, 403, 404, 409, 403, 422, 429, 500, 501, 502, 503, 504])
    })
  )

  it.effect("never waits for a permit that pages of the same operator hold", () =>
    Effect.gen(function* () {
      const [service, limiter] = [yield* Service, yield* ConcurrencyLimiter]
      const operator = yield* createOperator()
      const visit = visitOf(operator)
      const page = limiter.withPermit(operator.operatorId, callOperation(service, visit, "list_event_consumers", {}))
      const answers = yield* Effect.forEach(Array.from({ length: 50 }), () => page, { concurrency: "unbounded" })
      assert.isTrue(answers.every(({ _tag }) => _tag === "Ok"))
    })
  )
})
