import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { BadRequest } from "../../contract/errors.ts"
import { Letting, type Turned } from "../../domain/calendars/availability/Letting.ts"
import { layerWakeUpOfCommand } from "../../jobs/layer.ts"
import { WakeUp } from "../../jobs/WakeUp.ts"
import { answer } from "./answer.ts"

const naming = {
  id: Argument.Int("id").pipe(Argument.withDescription("property_id"), Argument.optional),
  property: Flag.Int("property").pipe(
    Flag.withDescription("property_id as a flag (default: the argument)"),
    Flag.optional
  )
}

type Named = Record<keyof typeof naming, Option.Option<number>>

/** The one property that is named, either way. */
const namedProperty = ({ id, property }: Named) => {
  const [named, ...others] = [...Option.toArray(id), ...Option.toArray(property)]
  return named === undefined || others.length > 0
    ? Effect.fail(new BadRequest({ message: "--property: give the property once, as this option or as the argument." }))
    : Effect.succeed(named)
}

const turning = (
  command: string,
  named: Named,
  turn: (letting: Letting["Service"]) => Letting["Service"]["activate"],
  say: (turned: Turned) => string
) =>
  answer(
    command,
    Effect.flatMap(namedProperty(named), (id) => Letting.use((letting) => turn(letting)(id))).pipe(
      // The running service is told when the command ends.
      Effect.ensuring(Effect.flatMap(WakeUp, ({ wake }) => wake)),
      Effect.provide([Letting.layer, layerWakeUpOfCommand])
    ),
    say
  )

const days = (count: number): string => (count === 1 ? "1 day" : `${count} days`)

export const deactivate = Command.make("deactivate", naming, (named) =>
  turning(
    "property deactivate",
    named,
    (letting) => letting.deactivate,
    ({ property_id, changed_days }) => `Property ${property_id} is inactive; blocked ${days(changed_days)}.`
  )
).pipe(
  Command.withDescription("Deactivate a property: keep its stays and block every other night"),
  Command.withExamples([{ command: "latchkey property deactivate 12", description: "Deactivate property 12" }])
)

export const activate = Command.make("activate", naming, (named) =>
  turning(
    "property activate",
    named,
    (letting) => letting.activate,
    ({ property_id, changed_days }) => `Property ${property_id} is active; unblocked ${days(changed_days)}.`
  )
).pipe(Command.withDescription("Activate a property; blocked and booked nights stay so"))
