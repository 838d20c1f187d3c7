import { Anchor, Badge, Group, Stack, Text, Title } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Card } from '../parts/card.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { reference } from './read.ts'
import classes from './reference.module.css'
import { RichText } from './rich-text.tsx'
import { SignedIn } from './signed-in.tsx'
import { referenceWords } from './words.ts'

const say = referenceWords

export function OverviewPage() {
  const { about, version, areas } = useSuspenseQuery(reference()).data
  return (
    <>
      <PageHead
        title={say.title}
        lead={say.lead(version)}
        action={
          <Anchor href="/openapi.json" size="sm" title={say.fileHelp}>
            {say.file}
          </Anchor>
        }
      />
      <Stack gap="lg">
        <Card>
          <SignedIn />
        </Card>
        <Card>
          <RichText text={about} />
        </Card>
        <Title order={2}>{say.areasTitle}</Title>
        <ul className={classes.areas}>
          {areas.map(({ name, description, entries }) => (
            <li key={name}>
              <Link
                to="/docs/$operationId"
                params={{ operationId: entries[0]!.id }}
                preload={false}
                className={classes.areaCard!}
              >
                <Group justify="space-between" wrap="nowrap" align="baseline">
                  <Text fw={600}>{name}</Text>
                  <Badge color="gray">{entries.length}</Badge>
                </Group>
                <Text size="sm" c="dimmed" mt={4}>
                  {description}
                </Text>
              </Link>
            </li>
          ))}
        </ul>
      </Stack>
    </>
  )
}
