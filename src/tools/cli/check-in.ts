import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { formatUtcInstant } from "../../contract/time.ts"
import { CheckInApproval } from "../../domain/bookings/check-in/CheckInApproval.ts"
import { WakeUp } from "../../jobs/WakeUp.ts"
import { layerCommandWakeUp } from "../../jobs/wake-up-layers.ts"
import { runCommand } from "./command-runner.ts"

const approveCommand = Command.make(
  "approve",
  {
    stay: Argument.String("stay").pipe(Argument.withDescription("stay_code")),
    operator: Flag.Int("operator").pipe(
      Flag.withDescription("operator_id; required if several operators have this stay_code (default: the only one)"),
      Flag.optional
    )
  },
  ({ stay, operator }) =>
    runCommand(
      "check-in approve",
      CheckInApproval.use((approval) =>
        approval.approve({ stayCode: stay, operatorId: Option.getOrUndefined(operator) })
      ).pipe(
        Effect.map(({ stay_code, approved_at }) => ({ stay_code, approved_at: formatUtcInstant(approved_at) })),
        // The running service is told when the command ends.
        Effect.ensuring(Effect.flatMap(WakeUp, ({ wake }) => wake)),
        Effect.provide([CheckInApproval.layer, layerCommandWakeUp])
      ),
      ({ stay_code, approved_at }) => `Check-in of ${stay_code} approved at ${approved_at}.`
    )
).pipe(
  Command.withDescription("Approve the identity documents of a stay, so that its guests get the door code"),
  Command.withExamples([
    { command: "latchkey check-in approve 5-ABC", description: "Approve after you looked at the photos" }
  ])
)

export const checkInCommand = Command.make("check-in").pipe(
  Command.withDescription("Approve what guests upload for their check-in"),
  Command.withSubcommands([approveCommand])
)
