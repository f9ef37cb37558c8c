import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { BadRequest, NotFound } from "../../contract/errors.ts"
import { formatUtcInstant } from "../../contract/time.ts"
import { approve_check_in } from "../../domain/bookings/check-in/contract.ts"
import { CheckInStore } from "../../domain/bookings/check-in/store.ts"
import { callOperation, runOperationCommand } from "./operation-call.ts"

const STAY_ARGUMENT = "stay"

const approveCommand = Command.make(
  "approve",
  {
    stay: Argument.String(STAY_ARGUMENT).pipe(Argument.withDescription("stay_code")),
    operator: Flag.Int("operator").pipe(
      Flag.withDescription("operator_id; required if several operators have this stay_code (default: the only one)"),
      Flag.optional
    )
  },
  ({ stay, operator }) =>
    runOperationCommand(
      "check-in approve",
      Effect.gen(function* () {
        const operatorId = yield* findStayOperator(stay, Option.getOrUndefined(operator))
        const { approved_at } = yield* callOperation(
          approve_check_in,
          operatorId,
          { stay_code: stay },
          { stay_code: STAY_ARGUMENT }
        )
        return { stay_code: stay, approved_at: formatUtcInstant(new Date(approved_at)) }
      }),
      ({ stay_code, approved_at }) => `Check-in of ${stay_code} approved at ${approved_at}.`
    )
).pipe(
  Command.withDescription("Approve the identity documents of a stay, so that its guests get the door code"),
  Command.withExamples([
    { command: "latchkey check-in approve 5-ABC", description: "Approve after you looked at the photos" }
  ])
)

const AMBIGUOUS_STAYS_MAX = 20

const findStayOperator = Effect.fnUntraced(function* (stayCode: string, operatorId: number | undefined) {
  const findStays = CheckInStore.use((store) => store.findByCode({ stayCode, operatorId, limit: AMBIGUOUS_STAYS_MAX }))
  const [stay, ...otherStays] = yield* Effect.provide(findStays, CheckInStore.layer)
  if (stay === undefined) {
    const scope = operatorId === undefined ? "" : ` of operator ${operatorId}`
    return yield* new NotFound({ message: `${STAY_ARGUMENT}: there is no stay ${stayCode}${scope}.` })
  }
  if (otherStays.length === 0) return stay.operator_id
  const operatorIds = [stay, ...otherStays].map(({ operator_id }) => operator_id)
  return yield* new BadRequest({
    message: `${STAY_ARGUMENT}: several operators have a stay ${stayCode}; pass --operator (${operatorIds.join(", ")}).`
  })
})

export const checkInCommand = Command.make("check-in").pipe(
  Command.withDescription("Approve what guests upload for their check-in"),
  Command.withSubcommands([approveCommand])
)
