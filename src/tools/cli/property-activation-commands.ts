import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { BadRequest } from "../../contract/errors.ts"
import {
  PropertyActivation,
  type PropertyActivationResult
} from "../../domain/calendars/availability/PropertyActivation.ts"
import { WakeUp } from "../../jobs/WakeUp.ts"
import { layerCommandWakeUp } from "../../jobs/wake-up-layers.ts"
import { runCommand } from "./command-runner.ts"

const propertyArguments = {
  id: Argument.Int("id").pipe(Argument.withDescription("property_id"), Argument.optional),
  property: Flag.Int("property").pipe(
    Flag.withDescription("property_id as a flag (default: the argument)"),
    Flag.optional
  )
}

type PropertyOptions = Record<keyof typeof propertyArguments, Option.Option<number>>

/** The one property that is named, either way. */
const toPropertyId = ({ id, property }: PropertyOptions) => {
  const [propertyId, ...otherIds] = [...Option.toArray(id), ...Option.toArray(property)]
  return propertyId === undefined || otherIds.length > 0
    ? Effect.fail(new BadRequest({ message: "--property: give the property once, as this option or as the argument." }))
    : Effect.succeed(propertyId)
}

const runActivation = (
  command: string,
  options: PropertyOptions,
  select: (propertyActivation: PropertyActivation["Service"]) => PropertyActivation["Service"]["activate"],
  format: (activation: PropertyActivationResult) => string
) =>
  runCommand(
    command,
    Effect.flatMap(toPropertyId(options), (id) =>
      PropertyActivation.use((propertyActivation) => select(propertyActivation)(id))
    ).pipe(
      // The running service is told when the command ends.
      Effect.ensuring(Effect.flatMap(WakeUp, ({ wake }) => wake)),
      Effect.provide([PropertyActivation.layer, layerCommandWakeUp])
    ),
    format
  )

const formatDays = (count: number): string => (count === 1 ? "1 day" : `${count} days`)

export const deactivatePropertyCommand = Command.make("deactivate", propertyArguments, (options) =>
  runActivation(
    "property deactivate",
    options,
    (propertyActivation) => propertyActivation.deactivate,
    ({ property_id, changed_days }) => `Property ${property_id} is inactive; blocked ${formatDays(changed_days)}.`
  )
).pipe(
  Command.withDescription("Deactivate a property: keep its stays and block every other night"),
  Command.withExamples([{ command: "latchkey property deactivate 12", description: "Deactivate property 12" }])
)

export const activatePropertyCommand = Command.make("activate", propertyArguments, (options) =>
  runActivation(
    "property activate",
    options,
    (propertyActivation) => propertyActivation.activate,
    ({ property_id, changed_days }) => `Property ${property_id} is active; unblocked ${formatDays(changed_days)}.`
  )
).pipe(Command.withDescription("Activate a property; blocked and booked nights stay so"))
