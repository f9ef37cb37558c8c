import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { BadRequest } from "../../contract/errors.ts"
import { RateLimitOverrides } from "../../domain/access/operators/RateLimitOverrides.ts"
import { runCommand } from "./command-runner.ts"

const formatLimits = (limits: object | null) => (limits === null ? "the default" : JSON.stringify(limits))

const parseLimits = (text: string): Effect.Effect<unknown, BadRequest> =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => new BadRequest({ message: "--set: must be JSON." })
  })

export const operatorLimitsCommand = Command.make(
  "limits",
  {
    id: Argument.Int("id").pipe(Argument.withDescription("operator_id")),
    set: Flag.String("set").pipe(
      Flag.withDescription('JSON that replaces all limits, such as {"user": {"1m": 5000}} (default: unchanged)'),
      Flag.optional
    ),
    reset: Flag.Boolean("reset").pipe(
      Flag.withDescription("Restore the default limits (default: off)"),
      Flag.withDefault(false)
    )
  },
  ({ id, set, reset }) =>
    runCommand(
      "operator limits",
      Effect.gen(function* () {
        const limits = yield* RateLimitOverrides
        if (reset && Option.isSome(set))
          return yield* new BadRequest({ message: "--set: cannot be combined with --reset." })
        if (reset) return yield* limits.setOperatorLimits(id, null)
        return Option.isSome(set)
          ? yield* limits.setOperatorLimits(id, yield* parseLimits(set.value))
          : yield* limits.getOperatorLimits(id)
      }).pipe(Effect.provide(RateLimitOverrides.layer)),
      (operator) => `Operator ${operator.operator_id} has ${formatLimits(operator.limits)} limits.`
    )
).pipe(
  Command.withDescription("Show or change the rate limits of an operator; changes apply within seconds"),
  Command.withExamples([
    {
      command: 'latchkey operator limits 1 --set \'{"endpoint": {"POST /reservations": {"1m": 300}}}\'',
      description: "Allow 300 new reservations per minute"
    }
  ])
)

const windowFlag = (name: string, window: string) =>
  Flag.Int(name).pipe(Flag.withDescription(`Calls allowed ${window} (default: no limit)`), Flag.optional)

export const tokenLimitCommand = Command.make(
  "limit",
  {
    id: Argument.Int("id").pipe(Argument.withDescription("token_id")),
    perMinute: windowFlag("per-minute", "per minute"),
    perHour: windowFlag("per-hour", "per hour"),
    reset: Flag.Boolean("reset").pipe(
      Flag.withDescription("Remove the limits of the token (default: off)"),
      Flag.withDefault(false)
    )
  },
  ({ id, perMinute, perHour, reset }) =>
    runCommand(
      "token limit",
      Effect.gen(function* () {
        const limits = yield* RateLimitOverrides
        const hasLimit = Option.isSome(perMinute) || Option.isSome(perHour)
        if (hasLimit === reset)
          return yield* new BadRequest({ message: "Give --per-minute, --per-hour or both, or give --reset." })
        return yield* limits.setTokenLimits(
          id,
          reset
            ? null
            : {
                ...(Option.isSome(perMinute) ? { "1m": perMinute.value } : {}),
                ...(Option.isSome(perHour) ? { "1h": perHour.value } : {})
              }
        )
      }).pipe(Effect.provide(RateLimitOverrides.layer)),
      (token) =>
        `Token ${token.token_id} has ${token.limits === null ? "no" : JSON.stringify(token.limits)} limits of its own.`
    )
).pipe(Command.withDescription("Limit the calls of one token, below the limits of its operator"))
