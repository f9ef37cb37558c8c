import { Effect, Schema } from "effect"
import { makeCountHandler } from "../../../../src/tools/workers/count-handler.ts"
import { makeSupervisorCounts, type SupervisorChannel } from "../../../../src/tools/workers/supervisor-counts.ts"
import { type CountResponse, SupervisorMessage, WorkerMessage } from "../../../../src/tools/workers/worker-messages.ts"

// A parent and a worker in one process. What they say is read as it is read off the wire.

const asked = Schema.decodeUnknownSync(WorkerMessage)
const answered = Schema.decodeUnknownSync(SupervisorMessage)

export const makeFakeSupervisor = () => {
  const counted = makeCountHandler()
  /** Whether it answers what it is asked; what it was asked meanwhile it answers when it does again. */
  let answers = true
  let owed: Array<() => void> = []
  /** Steps it was asked for. */
  let steps = 0
  const asking = (): SupervisorChannel => {
    let hear: (told: ReadonlyArray<CountResponse>) => void = () => {}
    return {
      send: (asks) => {
        const heard = asked(structuredClone({ asks }))
        if (!("asks" in heard)) return
        steps += heard.asks.length
        const answer = () => {
          const told = answered({ told: counted(heard.asks) })
          if ("told" in told) hear(told.told)
        }
        if (answers) answer()
        else owed.push(answer)
      },
      onResponses: (heard) => {
        hear = heard
      }
    }
  }
  return {
    /** What another worker of it counts with. */
    worker: Effect.suspend(() => makeSupervisorCounts(asking())),
    asked: () => steps,
    falls: () => {
      answers = false
    },
    stands: () => {
      answers = true
      for (const answer of owed) answer()
      owed = []
    }
  }
}
