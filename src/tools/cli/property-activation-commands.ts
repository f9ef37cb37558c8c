import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { BadRequest } from "../../contract/errors.ts"
import { update_property } from "../../domain/properties/property-edits/contract.ts"
import { callOperation, runOperationCommand } from "./operation-call.ts"
import { loadPropertyOperatorId } from "./property-flag.ts"

const ID_ARGUMENT = "id"
const PROPERTY_FLAG = "--property"

const propertyArguments = {
  id: Argument.Int(ID_ARGUMENT).pipe(Argument.withDescription("property_id"), Argument.optional),
  property: Flag.Int("property").pipe(
    Flag.withDescription("property_id, instead of the argument (default: the argument)"),
    Flag.optional
  )
}

type PropertyOptions = Record<keyof typeof propertyArguments, Option.Option<number>>

interface NamedProperty {
  readonly id: number
  readonly namedBy: string
}

const toNamedProperty = ({ id, property }: PropertyOptions): Effect.Effect<NamedProperty, BadRequest> => {
  const [namedProperty, ...otherProperties]: ReadonlyArray<NamedProperty> = [
    ...Option.toArray(id).map((value) => ({ id: value, namedBy: ID_ARGUMENT })),
    ...Option.toArray(property).map((value) => ({ id: value, namedBy: PROPERTY_FLAG }))
  ]
  return namedProperty === undefined || otherProperties.length > 0
    ? Effect.fail(
        new BadRequest({ message: `${PROPERTY_FLAG}: give the property once, as this option or as the argument.` })
      )
    : Effect.succeed(namedProperty)
}

interface PropertyActivationResult {
  readonly property_id: number
  readonly active: boolean
  readonly changed_days: number
}

const setPropertyActive = Effect.fnUntraced(function* ({ id, namedBy }: NamedProperty, active: boolean) {
  const operatorId = yield* loadPropertyOperatorId(id, namedBy)
  const { changed_days } = yield* callOperation(update_property, operatorId, { id, is_active: active }, { id: namedBy })
  return { property_id: id, active, changed_days }
})

const runActivation = (
  command: string,
  options: PropertyOptions,
  active: boolean,
  format: (activation: PropertyActivationResult) => string
) =>
  runOperationCommand(
    command,
    Effect.flatMap(toNamedProperty(options), (property) => setPropertyActive(property, active)),
    format
  )

const formatDays = (count: number): string => (count === 1 ? "1 day" : `${count} days`)

export const deactivatePropertyCommand = Command.make("deactivate", propertyArguments, (options) =>
  runActivation(
    "property deactivate",
    options,
    false,
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
    true,
    ({ property_id, changed_days }) => `Property ${property_id} is active; unblocked ${formatDays(changed_days)}.`
  )
).pipe(Command.withDescription("Activate a property; blocked and booked nights stay so"))
