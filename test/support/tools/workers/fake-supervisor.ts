import { Effect, Schema } from "effect"
import { makeCountHandler } from "../../../../src/tools/workers/count-handler.ts"
import { makeSupervisorCounters, type SupervisorChannel } from "../../../../src/tools/workers/supervisor-counters.ts"
import { type CountResponse, SupervisorMessage, WorkerMessage } from "../../../../src/tools/workers/worker-messages.ts"

// A parent and a worker in one process. What they say is read as it is read off the wire.

const decodeWorkerMessage = Schema.decodeUnknownSync(WorkerMessage)
const decodeSupervisorMessage = Schema.decodeUnknownSync(SupervisorMessage)

export const makeFakeSupervisor = () => {
  const handleCount = makeCountHandler()
  /** Whether it answers what it is asked; what it was asked meanwhile it answers when it does again. */
  let isAnswering = true
  let pendingAnswers: Array<() => void> = []
  /** Steps it was asked for. */
  let stepCount = 0
  const makeChannel = (): SupervisorChannel => {
    let deliverResponses: (told: ReadonlyArray<CountResponse>) => void = () => {}
    return {
      send: (asks) => {
        const message = decodeWorkerMessage(structuredClone({ asks }))
        if (!("asks" in message)) return
        stepCount += message.asks.length
        const answer = () => {
          const reply = decodeSupervisorMessage({ told: handleCount(message.asks) })
          if ("told" in reply) deliverResponses(reply.told)
        }
        if (isAnswering) answer()
        else pendingAnswers.push(answer)
      },
      onResponses: (listener) => {
        deliverResponses = listener
      }
    }
  }
  return {
    /** What another worker of it counts with. */
    worker: Effect.suspend(() => makeSupervisorCounters(makeChannel())),
    countSteps: () => stepCount,
    stopAnswering: () => {
      isAnswering = false
    },
    resumeAnswering: () => {
      isAnswering = true
      for (const answer of pendingAnswers) answer()
      pendingAnswers = []
    }
  }
}
