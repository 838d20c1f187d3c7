import { Badge, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { TextLink } from '../../parts/link.tsx'
import { packageWords } from '../packages/words.ts'
import tiles from '../tile.module.css'
import { dashboardWords } from '../words.ts'

const route = getRouteApi('/signed-in/dashboard')
const { mine: say } = dashboardWords

interface ManagedProps {
  /** Organisations in which the person is an instructor. */
  readonly taughtIn: readonly string[]
}

const PackagesLink = ({ organisation }: { readonly organisation: string }) => (
  <TextLink to="/dashboard/packages/$organisation" params={{ organisation }} size="sm">
    {packageWords.of(organisation)}
  </TextLink>
)

/**
 * Lists the courses that the person manages, with their classes, and links the content packages of organisations in
 * which they teach. Renders nothing for other people.
 */
export function Managed({ taughtIn }: ManagedProps) {
  const { managedCourses, managedClasses } = route.useLoaderData()
  const courses = useQuery(managedCourses)
  const classes = useQuery(managedClasses)
  const managing = new Set(courses.data?.docs.map(({ organisation }) => organisation))
  const teaching = taughtIn.filter((organisation) => !managing.has(organisation))
  return (
    <>
      {courses.data && teaching.length > 0 && (
        <Group gap="md">
          {teaching.map((organisation) => (
            <PackagesLink key={organisation} organisation={organisation} />
          ))}
        </Group>
      )}
      {courses.data && courses.data.docs.length > 0 && (
        <Stack gap="sm">
          <Group justify="space-between">
            <Title order={2}>{say.courses}</Title>
            <Group gap="md">
              {[...managing].map((organisation) => (
                <Fragment key={organisation}>
                  <TextLink to="/dashboard/questions/$organisation" params={{ organisation }} size="sm">
                    {say.questionBank(organisation)}
                  </TextLink>
                  <PackagesLink organisation={organisation} />
                </Fragment>
              ))}
            </Group>
          </Group>
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
            {courses.data.docs.map(({ courseId, name, version, draft, classes: count }) => (
              <Link key={courseId} to="/dashboard/courses/$courseId" params={{ courseId }} className={tiles.tile}>
                <Title order={3} className={tiles.name}>
                  {name}
                </Title>
                <Text size="sm" c="dimmed">
                  {version === null ? say.unpublished : say.version(version)} · {say.classCount(count)}
                </Text>
                {draft && (
                  <Group mt="md">
                    <Badge color="yellow">{say.draft}</Badge>
                  </Group>
                )}
              </Link>
            ))}
          </SimpleGrid>
        </Stack>
      )}
      {classes.data && classes.data.docs.length > 0 && (
        <Stack gap="sm">
          <Title order={2}>{say.managed}</Title>
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
            {classes.data.docs.map(({ classId, name, course, ended }) => (
              <Link key={classId} to="/dashboard/classes/$classId" params={{ classId }} className={tiles.tile}>
                <Title order={3} className={tiles.name}>
                  {name}
                </Title>
                <Text size="sm" c="dimmed">
                  {course.name}
                </Text>
                {ended && (
                  <Group mt="md">
                    <Badge color="gray">{dashboardWords.classes.ended}</Badge>
                  </Group>
                )}
              </Link>
            ))}
          </SimpleGrid>
        </Stack>
      )}
    </>
  )
}
