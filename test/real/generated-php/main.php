<?php

/** Calls operations by the clients of openapi-generator; prints the typed answer of each as JSON. */

require getenv('GUZZLE');
spl_autoload_register(function (string $class): void {
    [$client, $name] = explode('\\', $class, 2) + [1 => ''];
    $file = __DIR__ . "/$client/lib/" . str_replace('\\', '/', $name) . '.php';
    if (is_file($file)) {
        require $file;
    }
});

function call(string $operation, callable $attempt): void
{
    try {
        $line = json_encode($attempt(), JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR);
    } catch (QuarryPublic\ApiException | QuarryPanel\ApiException $failure) {
        $body = is_string($failure->getResponseBody()) ? $failure->getResponseBody() : '';
        $isRefused = $failure->getCode() >= 400;
        $line = $isRefused ? "failed {$failure->getCode()} $body" : "thrown {$failure->getMessage()}";
    } catch (Throwable $failure) {
        $line = 'thrown ' . get_class($failure) . ': ' . $failure->getMessage();
    }
    // An empty map prints as a list: PHP has one type for both.
    echo "$operation\t" . str_replace(["\n", '"config":[]'], [' ', '"config":{}'], $line) . "\n";
}

function start(SplFileObject $file, int $length): string
{
    $file->rewind();

    return $file->fread($length);
}

const LONGEST = 10_000;

$url = getenv('QUARRY_URL');
$queries = ['days of leave'];
$guzzle = new GuzzleHttp\Client();
$config = (new QuarryPublic\Configuration())->setHost($url)->setAccessToken(getenv('QUARRY_TOKEN'));
$rags = new QuarryPublic\Api\RAGsApi($guzzle, $config);
$inferences = new QuarryPublic\Api\InferencesApi($guzzle, $config);
$search = new QuarryPublic\Model\RagRetrieveRequest(
    ['semantic_search' => $queries, 'top_k' => 2, 'include_sources' => true],
);
$scope = new QuarryPublic\Model\Scope(['type' => 'path', 'value' => 'notes/']);
$run = new QuarryPublic\Model\InferenceRunRequest(
    ['prompt' => 'How many days?', 'semantic_search' => $queries],
);
$retrieval = new QuarryPublic\Model\InferenceRetrieveRequest(['semantic_search' => $queries]);
call('listRags', fn () => $rags->listRags());
call('getRag', fn () => $rags->getRag('docs'));
call('getRag none', fn () => $rags->getRag('none'));
call('listRagFiles', fn () => $rags->listRagFiles('docs', 1));
call('retrieveFromRag', fn () => $rags->retrieveFromRag('docs', $search));
call('addRagScope', fn () => $rags->addRagScope('docs', $scope));
call('removeRagScope', fn () => $rags->removeRagScope('docs', $scope));
call('listInferences', fn () => $inferences->listInferences());
call('runInference', fn () => $inferences->runInference('answering', $run));
call('retrieveForInference', fn () => $inferences->retrieveForInference('answering', $retrieval));
call('listInferenceFiles', fn () => $inferences->listInferenceFiles('answering', 1));
call('getFileStatus', fn () => $inferences->getFileStatus('answering', 'docs', 'leave.md'));
call('retrieveFromRag by score', function () use ($rags, $search) {
    $score = $rags->retrieveFromRag('docs', $search)->getChunks()[0]->getScore();

    return $rags->retrieveFromRag('docs', $search->setSimilarityThreshold($score));
});

$config = (new QuarryPanel\Configuration())
    ->setHost("$url/panel/api")
    ->setAccessToken(getenv('QUARRY_KEY'));
$sources = new QuarryPanel\Api\SourcesApi($guzzle, $config);
$evaluation = new QuarryPanel\Api\EvaluationApi($guzzle, $config);
$service = new QuarryPanel\Api\ServiceApi($guzzle, $config);
$files = array_map(
    fn (string $name) => new SplFileObject(getenv('QUARRY_FILES') . "/$name"),
    ['one.md', 'two.md'],
);
$export = fn (string $format) => start($evaluation->getQuestionSetsIdExport('asked', $format), LONGEST);
call('postFileSourcesIdFiles', fn () => $sources->postFileSourcesIdFiles('uploads', $files));
call('getFileSources', fn () => $sources->getFileSources(1));
call('getQuestionSets', fn () => $evaluation->getQuestionSets(1));
call('export as NDJSON', fn () => $export('jsonl'));
call('export as CSV', fn () => $export('csv'));
call('getArchive', fn () => start($service->getArchive('docs'), 2));
