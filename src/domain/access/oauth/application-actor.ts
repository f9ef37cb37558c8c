import { Effect } from "effect"
import { CurrentActor } from "../../../contract/actor.ts"

interface ApplicationActor {
  readonly accountId: number
  readonly name: string
}

/** Runs an effect whose entries in the audit log name the application and its account. */
export const runAsApplication = ({ accountId, name }: ApplicationActor) =>
  Effect.updateService(CurrentActor, (actor) => ({ ...actor, accountId, application: name }))
