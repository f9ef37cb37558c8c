import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { BadRequest } from "../../contract/errors.ts"
import { Operators } from "../../domain/access/operators/Operators.ts"
import { EDITIONS, OPERATOR_STATUSES } from "../../domain/access/operators/operator-schemas.ts"
import { runCommand } from "./command-runner.ts"
import { type FieldFlags, withFieldFlags } from "./field-flags.ts"
import { operatorLimitsCommand } from "./limit-commands.ts"
import { passwordFlags, readPasswordOption } from "./password-flags.ts"

const UNCHANGED = " (default: unchanged)"
const TIME_ZONE_DESCRIPTION = "IANA time zone, such as Europe/Lisbon"
const CURRENCY_DESCRIPTION = "ISO 4217 code, such as EUR"
const EDITION_DESCRIPTION = "Edition; only pro can call the API"
const LAST_DAY_DESCRIPTION = "Last day of the subscription, YYYY-MM-DD"

const nameFlag = Flag.String("name").pipe(Flag.withDescription("Name of the operator and of its main account"))
const timeZoneFlag = Flag.String("time-zone").pipe(Flag.withDescription(TIME_ZONE_DESCRIPTION))
const currencyFlag = Flag.String("currency").pipe(Flag.withDescription(CURRENCY_DESCRIPTION))
const editionFlag = Flag.Literals("edition", EDITIONS).pipe(
  Flag.withDescription(`${EDITION_DESCRIPTION} (default: pro)`),
  Flag.optional
)
const subscriptionUntilFlag = Flag.String("subscription-until").pipe(
  Flag.withDescription(`${LAST_DAY_DESCRIPTION} (default: no end)`),
  Flag.optional
)

const FLAGS_OF_FIELDS: FieldFlags = {
  name: "--name",
  time_zone: "--time-zone",
  currency: "--currency",
  subscription_until: "--subscription-until",
  email: "--email",
  room_limit: "--rooms",
  room_type_limit: "--room-types"
}

const createCommand = Command.make(
  "create",
  {
    name: nameFlag,
    timeZone: timeZoneFlag,
    currency: currencyFlag,
    edition: editionFlag,
    subscriptionUntil: subscriptionUntilFlag,
    email: Flag.String("email").pipe(Flag.withDescription("E-mail address that the main account signs in with")),
    ...passwordFlags
  },
  ({ name, timeZone, currency, edition, subscriptionUntil, email, ...passwordOptions }) =>
    runCommand(
      "operator create",
      Effect.flatMap(readPasswordOption(passwordOptions), (password) =>
        Operators.use((operators) =>
          operators.create({
            name,
            time_zone: timeZone,
            currency,
            edition: Option.getOrUndefined(edition),
            subscription_until: Option.getOrUndefined(subscriptionUntil),
            email,
            password
          })
        )
      ).pipe(withFieldFlags(FLAGS_OF_FIELDS)),
      (operator) => `Created operator ${operator.operator_id} with main account ${operator.account_id}.`
    )
).pipe(
  Command.withDescription("Create an operator and its main account"),
  Command.withExamples([
    {
      command:
        "latchkey operator create --name Harbour --time-zone Europe/Lisbon --currency EUR --email host@example.com --password-stdin < password.txt",
      description: "Create an operator in Lisbon"
    }
  ])
)

const updateCommand = Command.make(
  "update",
  {
    id: Argument.Int("id").pipe(Argument.withDescription("operator_id")),
    name: nameFlag.pipe(Flag.withDescription(`Name of the operator${UNCHANGED}`), Flag.optional),
    timeZone: timeZoneFlag.pipe(Flag.withDescription(`${TIME_ZONE_DESCRIPTION}${UNCHANGED}`), Flag.optional),
    currency: currencyFlag.pipe(Flag.withDescription(`${CURRENCY_DESCRIPTION}${UNCHANGED}`), Flag.optional),
    edition: editionFlag.pipe(Flag.withDescription(`${EDITION_DESCRIPTION}${UNCHANGED}`)),
    subscriptionUntil: subscriptionUntilFlag.pipe(Flag.withDescription(`${LAST_DAY_DESCRIPTION}${UNCHANGED}`)),
    status: Flag.Literals("status", OPERATOR_STATUSES).pipe(
      Flag.withDescription(`Status; the tokens of a banned or closed operator stop working${UNCHANGED}`),
      Flag.optional
    ),
    rooms: Flag.Int("rooms").pipe(
      Flag.withDescription(`Rooms that the subscription covers${UNCHANGED}`),
      Flag.optional
    ),
    roomTypes: Flag.Int("room-types").pipe(
      Flag.withDescription(`Room types that the subscription covers${UNCHANGED}`),
      Flag.optional
    )
  },
  ({ id, ...changes }) =>
    runCommand(
      "operator update",
      Object.values(changes).every((each) => Option.isNone<unknown>(each))
        ? Effect.fail(
            new BadRequest({
              message:
                "Give at least one of --name, --time-zone, --currency, --edition, --subscription-until, --status, --rooms and --room-types."
            })
          )
        : Operators.use((operators) =>
            operators.update(id, {
              name: Option.getOrUndefined(changes.name),
              time_zone: Option.getOrUndefined(changes.timeZone),
              currency: Option.getOrUndefined(changes.currency),
              edition: Option.getOrUndefined(changes.edition),
              subscription_until: Option.getOrUndefined(changes.subscriptionUntil),
              status: Option.getOrUndefined(changes.status),
              room_limit: Option.getOrUndefined(changes.rooms),
              room_type_limit: Option.getOrUndefined(changes.roomTypes)
            })
          ).pipe(withFieldFlags(FLAGS_OF_FIELDS)),
      (operator) =>
        [
          `Operator ${operator.operator_id}: ${operator.name}, ${operator.time_zone}, ${operator.currency}`,
          `${operator.edition}, ${operator.status}`,
          operator.subscription_until === null
            ? "subscribed with no end date"
            : `subscribed until the end of ${operator.subscription_until}`,
          `${operator.room_limit} rooms and ${operator.room_type_limit} room types`
        ].join("; ")
    )
).pipe(Command.withDescription("Change an operator"))

export const operatorCommand = Command.make("operator").pipe(
  Command.withDescription("Create operators, and change their settings and rate limits"),
  Command.withSubcommands([createCommand, updateCommand, operatorLimitsCommand])
)
