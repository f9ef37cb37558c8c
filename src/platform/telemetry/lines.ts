/** Writes a line some time soon. */
export type WriteLine = (line: string) => void

/**
 * Collects the lines of one turn of the event loop and writes them at once: a write a line is a system call a request.
 * Lines keep their order. A normal exit and an uncaught error write what is left; a killed process loses at most the
 * turn it died in.
 */
export const lineWriter = (stream: Pick<NodeJS.WritableStream, "write">): WriteLine => {
  let waiting: Array<string> = []
  const write = () => {
    if (waiting.length === 0) return
    const text = `${waiting.join("\n")}\n`
    waiting = []
    stream.write(text)
  }
  process.once("exit", write)
  return (line) => {
    if (waiting.length === 0) setImmediate(write)
    waiting.push(line)
  }
}
