import { flushCompileCache } from 'node:module'
import { runGroundschool } from './operations/commands/commands.ts'

// Write compiled code to the cache now: the platform may be killed later.
flushCompileCache()

// A reader of our output, such as `head`, may close the pipe early. Ignore the resulting write errors.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

process.exit(await runGroundschool(process.argv.slice(2)))
