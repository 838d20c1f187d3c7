import { Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listCourseVersions } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { dashboardWords } from '../words.ts'
import { NewClass } from './new-class.tsx'

const { course: say } = dashboardWords

interface VersionsProps {
  readonly courseId: string
  readonly mayCreateClasses: boolean
}

/** Lists the published versions of a course, with the number of classes that use each. */
export function Versions({ courseId, mayCreateClasses }: VersionsProps) {
  const versions = useQuery(query(listCourseVersions, { courseId, limit: 100 }))
  return (
    <Card
      title={say.versions}
      action={mayCreateClasses && (versions.data?.total ?? 0) > 0 && <NewClass courseId={courseId} />}
      isFlush
    >
      <Loaded query={versions} lines={2}>
        {({ docs }) =>
          docs.length === 0 ? (
            <Text size="sm" c="dimmed" px={20} pb="md">
              {dashboardWords.mine.unpublished}
            </Text>
          ) : (
            <Table aria-label={say.versions} horizontalSpacing={20}>
              <Table.Tbody>
                {docs.map((one) => (
                  <Table.Tr key={one.version}>
                    <Table.Td>{dashboardWords.mine.version(one.version)}</Table.Td>
                    <Table.Td>
                      <Time at={one.publishedDate} />
                    </Table.Td>
                    <Table.Td>{dashboardWords.mine.classCount(one.classes)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )
        }
      </Loaded>
    </Card>
  )
}
