import { Effect } from "effect"
import { CurrentActor } from "../../../contract/actor.ts"

interface ApplicationActor {
  readonly accountId: number
  readonly name: string
}

export const runAsApplication = ({ accountId, name }: ApplicationActor) =>
  Effect.updateService(CurrentActor, (actor) => ({ ...actor, accountId, application: name }))
