/** Writes a line some time soon. */
export type LogLineWriter = (line: string) => void

/**
 * Collects the lines of one turn of the event loop and writes them at once: a write a line is a system call a request.
 * Lines keep their order. A normal exit and an uncaught error write what is left; a killed process loses at most the
 * turn it died in.
 */
export const makeLineWriter = (stream: Pick<NodeJS.WritableStream, "write">): LogLineWriter => {
  let pendingLines: Array<string> = []
  const write = () => {
    if (pendingLines.length === 0) return
    const text = `${pendingLines.join("\n")}\n`
    pendingLines = []
    stream.write(text)
  }
  process.once("exit", write)
  return (line) => {
    if (pendingLines.length === 0) setImmediate(write)
    pendingLines.push(line)
  }
}
