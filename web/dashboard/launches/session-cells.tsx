import { Badge, Text } from '@mantine/core'
import type { PackageSession } from '../../api/operations.ts'
import { Radio } from '../../parts/icons.tsx'
import { Moment } from '../../parts/time.tsx'
import { launchWords } from './words.ts'

const { staff: say } = launchWords

/** Says when a session began, and whether it is a preview or a review. */
export const SessionStart = ({ startedDate, mode }: Pick<PackageSession, 'startedDate' | 'mode'>) => (
  <div>
    <Moment at={startedDate} />
    {mode !== 'Normal' && (
      <Text size="xs" c="dimmed">
        {say.modes[mode]}
      </Text>
    )}
  </div>
)

/** Says how and when a session ended, or that it is open. */
export const SessionEnding = ({ endedDate, endedBy }: Pick<PackageSession, 'endedDate' | 'endedBy'>) =>
  endedDate === null ? (
    <Badge color="sky" leftSection={<Radio size={13} aria-hidden />}>
      {say.isOpen}
    </Badge>
  ) : (
    <>
      <Moment at={endedDate} />
      {endedBy !== null && (
        <Text size="xs" c="dimmed" {...(endedBy === 'abandoned' && { title: say.endingsHelp })}>
          {say.endings[endedBy]}
        </Text>
      )}
    </>
  )
