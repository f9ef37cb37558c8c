import { Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { instantText } from "../../contract/time.ts"
import { CheckInApproval } from "../../domain/bookings/check-in/CheckInApproval.ts"
import { layerWakeUpOfCommand } from "../../jobs/layer.ts"
import { answer } from "./answer.ts"

const approve = Command.make(
  "approve",
  {
    stay: Argument.String("stay").pipe(Argument.withDescription("stay_code")),
    operator: Flag.Int("operator").pipe(
      Flag.withDescription("operator_id, where several operators have such a stay"),
      Flag.optional
    )
  },
  ({ stay, operator }) =>
    answer(
      "check-in approve",
      CheckInApproval.use((approval) =>
        approval.approve({ stayCode: stay, operatorId: Option.getOrUndefined(operator) })
      ).pipe(
        Effect.map(({ stay_code, approved_at }) => ({ stay_code, approved_at: instantText(approved_at) })),
        Effect.provide(Layer.provide(CheckInApproval.layer, layerWakeUpOfCommand))
      ),
      ({ stay_code, approved_at }) => `The check-in of ${stay_code} is approved since ${approved_at}.`
    )
).pipe(
  Command.withDescription(
    "Approve of the identity documents of a stay whose id_required is required_with_review: its guests see the door code in time"
  ),
  Command.withExamples([{ command: "latchkey check-in approve 5-ABC", description: "The photos were looked at" }])
)

export const checkIn = Command.make("check-in").pipe(
  Command.withDescription("Check-in of guests: what they handed in by the page of their stay"),
  Command.withSubcommands([approve])
)
